import json
import sys
from uuid import UUID

import client
from client.exceptions import NotFoundException

url, key = sys.argv[1:]
configuration = client.Configuration(host=url, api_key={"apiKey": key})

with client.ApiClient(configuration) as api:
    events = client.EventsApi(api)
    phase = client.PhaseInput(modality="meeting", config=client.PhaseConfig(durationSeconds=600))
    given = client.EventInput(type="webinar", title="Generated", visibility="public", phases=[phase])
    event = events.create_event(given)
    published = events.publish_event(event.id)
    page = events.list_events(limit=2)
    person = client.RegisterInput(name="Ada", email="ada@example.com")
    taken = client.PublicEventsApi(api).register(event.id, person)
    reports = client.ReportsApi(api)
    attended = reports.list_attendance(event.id)
    registered = reports.list_registrations(event.id)

    webhooks = client.WebhooksApi(api)
    hook = webhooks.create_webhook(client.CreateWebhookInput(url="http://127.0.0.1:9/hook"))
    ping = webhooks.ping_webhook(hook.id)
    sent = webhooks.get_webhook_delivery(ping.id).body.actual_instance
    assert isinstance(sent, client.Ping), sent

    try:
        events.get_event(UUID("0196a1f0-0000-7000-8000-000000000007"))
        missing = "found"
    except NotFoundException as refused:
        missing = json.loads(refused.body)["code"]

    print(
        page.events[0].title,
        published.status.value,
        published.phases[0].config.duration_seconds,
        str(taken.registered).lower(),
        len(attended.attendees),
        registered.registrations[0].name,
        str(sent.webhook_id == hook.id).lower(),
        missing,
    )
