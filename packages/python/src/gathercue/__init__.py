"""The client of Gathercue's live gateway for asyncio."""

from .client import GatewayClient as GatewayClient
from .client import Status as Status
from .clock import ServerClock as ServerClock
from .contract import CONTRACT as CONTRACT
from .contract import RELEASE as __version__  # noqa: F401
from .contract import CommandName as CommandName
from .contract import DispatchName as DispatchName
from .contract import OptOut as OptOut
from .dispatches import Dispatch as Dispatch
from .dispatches import Dispatches as Dispatches
from .errors import CommandRefused as CommandRefused
from .errors import CommandUnanswered as CommandUnanswered
from .errors import ConnectionClosed as ConnectionClosed
from .errors import DispatchesLost as DispatchesLost
from .errors import GathercueError as GathercueError
from .errors import TokenRefused as TokenRefused
from .errors import TooManyCommands as TooManyCommands
from .pending import Reply as Reply
from .tokens import GatewayToken as GatewayToken
from .tokens import gateway_token as gateway_token
