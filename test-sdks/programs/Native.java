import client.ApiClient;
import client.ApiException;
import client.api.*;
import client.model.*;
import java.net.URI;
import java.util.List;
import java.util.UUID;

public class Native {
  public static void main(String[] args) throws Exception {
    ApiClient api = new ApiClient();
    api.updateBaseUri(args[0]);
    api.setRequestInterceptor(request -> request.header("x-api-key", args[1]));
    EventsApi events = new EventsApi(api);

    PhaseInput phase = new PhaseInput().modality(Modality.MEETING).config(new PhaseConfig().durationSeconds(600));
    EventInput given =
        new EventInput().type("webinar").title("Generated").visibility(Visibility.PUBLIC).phases(List.of(phase));
    Event event = events.createEvent(given, null, null);
    PublishedEvent published = events.publishEvent(event.getId(), null);
    EventPage page = events.listEvents(2, null, null, null, null, null, null);
    RegisterInput person = new RegisterInput().name("Ada").email("ada@example.com");
    RegisterResult taken = new PublicEventsApi(api).register(event.getId(), person);
    ReportsApi reports = new ReportsApi(api);
    AttendeePage attended = reports.listAttendance(event.getId(), null, null, null);
    RegistrationPage registered = reports.listRegistrations(event.getId(), null, null, null, null, null);

    WebhooksApi webhooks = new WebhooksApi(api);
    CreateWebhookResult hook =
        webhooks.createWebhook(new CreateWebhookInput().url(URI.create("http://127.0.0.1:9/hook")), null, null);
    WebhookDelivery ping = webhooks.pingWebhook(hook.getId(), null);
    Ping sent = webhooks.getWebhookDelivery(ping.getId()).getBody().getPing();

    String missing = "found";
    try {
      events.getEvent(UUID.fromString("0196a1f0-0000-7000-8000-000000000007"));
    } catch (ApiException refused) {
      missing = ApiClient.createDefaultObjectMapper().readValue(refused.getResponseBody(), Problem.class).getCode();
    }
    System.out.println(
        String.join(
            " ",
            page.getEvents().get(0).getTitle(),
            published.getStatus().getValue(),
            String.valueOf(published.getPhases().get(0).getConfig().getDurationSeconds()),
            String.valueOf(taken.getRegistered()),
            String.valueOf(attended.getAttendees().size()),
            registered.getRegistrations().get(0).getName(),
            String.valueOf(sent.getWebhookId().equals(hook.getId())),
            missing));
  }
}
