package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/google/uuid"
	"sdk/client"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func pointer[T any](value T) *T { return &value }

func main() {
	url, key := os.Args[1], os.Args[2]
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("x-api-key", key)
		return nil
	}
	api := must(client.NewClientWithResponses(url, client.WithRequestEditorFn(authorize)))

	phases := []client.PhaseInput{{
		Modality: client.ModalityMeeting,
		Config:   &client.PhaseConfig{DurationSeconds: pointer(600)},
	}}
	event := must(api.CreateEventWithResponse(ctx, nil, client.EventInput{
		Type: "webinar", Title: "Generated", Visibility: pointer(client.Public), Phases: &phases,
	})).JSON201
	published := must(api.PublishEventWithResponse(ctx, event.Id, nil)).JSON200
	page := must(api.ListEventsWithResponse(ctx, &client.ListEventsParams{Limit: pointer(2)})).JSON200
	taken := must(api.RegisterWithResponse(ctx, event.Id, client.RegisterInput{
		Name: "Ada", Email: "ada@example.com",
	})).JSON200
	attended := must(api.ListAttendanceWithResponse(ctx, event.Id, nil)).JSON200
	registered := must(api.ListRegistrationsWithResponse(ctx, event.Id, nil)).JSON200

	hook := must(api.CreateWebhookWithResponse(ctx, nil, client.CreateWebhookInput{
		Url: "http://127.0.0.1:9/hook",
	})).JSON201
	ping := must(api.PingWebhookWithResponse(ctx, hook.Id, nil)).JSON201
	delivery := must(api.GetWebhookDeliveryWithResponse(ctx, ping.Id)).JSON200
	sent := must(delivery.Body.AsPing())

	missing := must(api.GetEventWithResponse(ctx, uuid.MustParse("0196a1f0-0000-7000-8000-000000000007")))
	fmt.Println(
		page.Events[0].Title,
		published.Status,
		*published.Phases[0].Config.DurationSeconds,
		taken.Registered,
		len(attended.Attendees),
		registered.Registrations[0].Name,
		sent.WebhookId == hook.Id,
		missing.ApplicationproblemJSON404.Code,
	)
}
