package main

import (
	"context"
	"fmt"
	"os"

	"sdk/client"
)

func must[T any, R any](value T, _ R, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func pointer[T any](value T) *T { return &value }

func main() {
	url, key := os.Args[1], os.Args[2]
	ctx := context.Background()
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: url}}
	configuration.AddDefaultHeader("x-api-key", key)
	api := client.NewAPIClient(configuration)

	phase := *client.NewPhaseInput(client.MODALITY_MEETING)
	phase.Config = &client.PhaseConfig{DurationSeconds: pointer(int32(600))}
	given := *client.NewEventInput("webinar", "Generated")
	given.Visibility = pointer(client.VISIBILITY_PUBLIC)
	given.Phases = []client.PhaseInput{phase}
	event := must(api.EventsAPI.CreateEvent(ctx).EventInput(given).Execute())
	published := must(api.EventsAPI.PublishEvent(ctx, event.Id).Execute())
	page := must(api.EventsAPI.ListEvents(ctx).Limit(2).Execute())
	person := *client.NewRegisterInput("Ada", "ada@example.com")
	taken := must(api.PublicEventsAPI.Register(ctx, event.Id).RegisterInput(person).Execute())
	attended := must(api.ReportsAPI.ListAttendance(ctx, event.Id).Execute())
	registered := must(api.ReportsAPI.ListRegistrations(ctx, event.Id).Execute())

	target := *client.NewCreateWebhookInput("http://127.0.0.1:9/hook")
	hook := must(api.WebhooksAPI.CreateWebhook(ctx).CreateWebhookInput(target).Execute())
	ping := must(api.WebhooksAPI.PingWebhook(ctx, hook.Id).Execute())
	delivery := must(api.WebhooksAPI.GetWebhookDelivery(ctx, ping.Id).Execute())
	sent := delivery.Body.Get().Ping

	missing := "found"
	_, _, err := api.EventsAPI.GetEvent(ctx, "0196a1f0-0000-7000-8000-000000000007").Execute()
	if refused, isRefused := err.(*client.GenericOpenAPIError); isRefused {
		problem := refused.Model().(client.Problem)
		missing = problem.Code
	}
	fmt.Println(
		page.Events[0].Title,
		published.Status,
		*published.Phases[0].Config.DurationSeconds,
		taken.Registered,
		len(attended.Attendees),
		registered.Registrations[0].Name,
		sent.WebhookId == hook.Id,
		missing,
	)
}
