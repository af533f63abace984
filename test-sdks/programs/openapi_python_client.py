import sys
from uuid import UUID

from client import AuthenticatedClient
from client.api.events import create_event, get_event, list_events, publish_event
from client.api.public_events import register
from client.api.reports import list_attendance, list_registrations
from client.api.webhooks import create_webhook, get_webhook_delivery, ping_webhook
from client.models import (
    CreateWebhookInput,
    EventInput,
    Modality,
    PhaseConfig,
    PhaseInput,
    Ping,
    Problem,
    RegisterInput,
    Visibility,
)

url, key = sys.argv[1:]
api = AuthenticatedClient(base_url=url, token=key, prefix="", auth_header_name="x-api-key")

phase = PhaseInput(modality=Modality.MEETING, config=PhaseConfig(duration_seconds=600))
given = EventInput(type_="webinar", title="Generated", visibility=Visibility.PUBLIC, phases=[phase])
event = create_event.sync(client=api, body=given)
published = publish_event.sync(event.id, client=api)
page = list_events.sync(client=api, limit=2)
taken = register.sync(event.id, client=api, body=RegisterInput(name="Ada", email="ada@example.com"))
attended = list_attendance.sync(event.id, client=api)
registered = list_registrations.sync(event.id, client=api)

hook = create_webhook.sync(client=api, body=CreateWebhookInput(url="http://127.0.0.1:9/hook"))
ping = ping_webhook.sync(hook.id, client=api)
sent = get_webhook_delivery.sync(ping.id, client=api).body
assert isinstance(sent, Ping), sent

missing = get_event.sync(UUID("0196a1f0-0000-7000-8000-000000000007"), client=api)
assert isinstance(missing, Problem), missing
print(
    page.events[0].title,
    published.status.value,
    published.phases[0].config.duration_seconds,
    str(taken.registered).lower(),
    len(attended.attendees),
    registered.registrations[0].name,
    str(sent.webhook_id == hook.id).lower(),
    missing.code,
)
