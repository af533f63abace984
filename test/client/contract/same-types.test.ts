/**
 * The client's own types against the schemas, by the compiler: `npm run check` fails where they differ. The printer of the types is
 * not asked.
 */
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { expectTypeOf, test } from "vitest"
import type { Commands } from "../../../packages/client/src/contract/commands.ts"
import type { Dispatches } from "../../../packages/client/src/contract/dispatches.ts"
import type { RestClient } from "../../../packages/client/src/contract/rest.ts"
import type * as Types from "../../../packages/client/src/contract/types.ts"
import type { Api } from "../../../src/http/contract/api.ts"
import type { ProblemCode } from "../../../src/http/contract/problem.ts"
import type { CommandData, CommandName, DispatchData, DispatchName, ReplyData } from "../../../src/protocol/contract.ts"
import type { Ready } from "../../../src/protocol/ready.ts"
import type { ErrorFrame, HeartbeatAck, Hello, Reconnect, ReplyFrame } from "../../../src/protocol/wire/frames.ts"

/** Each fits where the other is asked for. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

/** The names whose types differ. */
type Differing<A, B> = {
  readonly [K in keyof A | keyof B]: K extends keyof A & keyof B ? (Same<A[K], B[K]> extends true ? never : K) : K
}[keyof A | keyof B]

type Endpoints = HttpApiGroup.Endpoints<(typeof Api)["groups"][keyof (typeof Api)["groups"]]>
type Named<Name> = Extract<Endpoints, { readonly identifier: Name }>
type EndpointName = Endpoints extends { readonly identifier: infer Name extends string } ? Name : never

type Part<Key extends string, T> = [T] extends [never]
  ? unknown
  : [T] extends [undefined]
    ? unknown
    : Partial<T> extends T
      ? { readonly [K in Key]?: T }
      : { readonly [K in Key]: T }

type RequestOf<E> = E extends HttpApiEndpoint.ConstraintRequest
  ? Record<never, never> &
      Part<"params", E["~Params"]["Type"]> &
      Part<"query", E["~Query"]["Type"]> &
      Part<"payload", E["~Payload"]["Type"]>
  : never
type AnswerOf<E> = E extends HttpApiEndpoint.ConstraintRequest ? E["~Success"]["Type"] : never

type Requests = { readonly [Name in EndpointName]: RequestOf<Named<Name>> }
type Answers = { readonly [Name in EndpointName]: AnswerOf<Named<Name>> }
type OwnRequests = { readonly [Name in keyof RestClient]: NonNullable<Parameters<RestClient[Name]>[0]> }
type OwnAnswers = { readonly [Name in keyof RestClient]: Awaited<ReturnType<RestClient[Name]>> }
type MayBeLeftOut = { readonly [Name in EndpointName]: Record<never, never> extends Requests[Name] ? true : false }
type OwnMayBeLeftOut = {
  readonly [Name in keyof RestClient]: undefined extends Parameters<RestClient[Name]>[0] ? true : false
}

type Data = { readonly [T in CommandName]: CommandData<T> }
type Replies = { readonly [T in CommandName]: ReplyData<T> }
type OwnData = { readonly [T in keyof Commands]: Commands[T]["data"] }
type OwnReplies = { readonly [T in keyof Commands]: Commands[T]["reply"] }
type Told = { readonly [T in DispatchName]: DispatchData<T> }

test("every command, dispatch and endpoint has the types of its schemas", () => {
  expectTypeOf<Differing<OwnData, Data>>().toEqualTypeOf<never>()
  expectTypeOf<Differing<OwnReplies, Replies>>().toEqualTypeOf<never>()
  expectTypeOf<Differing<Dispatches, Told>>().toEqualTypeOf<never>()
  expectTypeOf<Differing<OwnRequests, Requests>>().toEqualTypeOf<never>()
  expectTypeOf<Differing<OwnAnswers, Answers>>().toEqualTypeOf<never>()
  expectTypeOf<Differing<OwnMayBeLeftOut, MayBeLeftOut>>().toEqualTypeOf<never>()
  // The comparison can fail: a difference is named.
  expectTypeOf<Differing<{ a: string; b: 1 }, { a: string; b: 2; c: 3 }>>().toEqualTypeOf<"b" | "c">()
})

test("so have the frames and the codes of problems", () => {
  interface Own {
    readonly ready: Types.Ready
    readonly hello: Types.Hello
    readonly ack: Types.HeartbeatAck
    readonly reconnect: Types.Reconnect
    readonly error: Types.ErrorFrame
    readonly reply: Types.ReplyFrame
    readonly code: Types.ProblemCode
  }
  interface Theirs {
    readonly ready: Ready
    readonly hello: Hello
    readonly ack: HeartbeatAck
    readonly reconnect: Reconnect
    readonly error: ErrorFrame
    readonly reply: ReplyFrame
    readonly code: ProblemCode
  }
  expectTypeOf<Differing<Own, Theirs>>().toEqualTypeOf<never>()
})
