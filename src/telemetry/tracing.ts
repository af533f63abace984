/**
 * Spans of requests, commands, database work and webhook attempts. When tracing is off, or a request is not sampled, no span is created and
 * the work runs unchanged. A span holds ids, names of routes and commands, and outcomes; never a path, an address, user text or an error
 * message.
 */
import { Cause, Context, Effect, Exit, Option, type Tracer } from "effect"

export interface SpanGiven {
  readonly kind?: Tracer.SpanKind
  readonly attributes?: { readonly [name: string]: string | number | boolean }
  /** Span of the caller in another process. */
  readonly parent?: Tracer.ExternalSpan | undefined
  /** Spans whose work this one also does. A span with links is created only if one of them is sampled. */
  readonly links?: ReadonlyArray<Tracer.AnySpan>
}

/** Attributes known only at the end. `fault` marks the span as failed, in a few fixed words. */
export interface SpanEnd {
  readonly attributes?: SpanGiven["attributes"]
  readonly fault?: string | undefined
}

type Describe<A> = (result: A) => SpanEnd

export interface Tracing {
  readonly isOn: boolean
  /** Runs the work in the first span of this process. */
  readonly root: <A, E, R>(
    name: string,
    given: SpanGiven,
    work: Effect.Effect<A, E, R>,
    describe?: Describe<A>,
  ) => Effect.Effect<A, E, R>
  /** Runs the work in a child span of the caller's; without one, unchanged. */
  readonly within: Tracing["root"]
  /** Span of the caller, if it is sampled. */
  readonly current: Effect.Effect<Tracer.AnySpan | undefined>
}

export const NO_TRACING: Tracing = {
  isOn: false,
  root: (_name, _given, work) => work,
  within: (_name, _given, work) => work,
  current: Effect.undefined,
}

/** Maximum number of spans without a parent sampled per second: a stalled collector must not fill the memory. */
const ROOTS_PER_SECOND = 500

/** `ratio` is the sampled share of roots, 0 to 1. `now` is in milliseconds. */
export const sampler = (ratio: number, now: () => number, random: () => number = Math.random): (() => boolean) => {
  let second = 0
  let taken = 0
  return () => {
    if (random() >= ratio) return false
    const present = Math.floor(now() / 1000)
    if (present !== second) {
      second = present
      taken = 0
    }
    return ++taken <= ROOTS_PER_SECOND
  }
}

const nanos = (): bigint => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000_000))

const faultOf = (cause: Cause.Cause<unknown>): string => {
  const failure = Cause.findErrorOption(cause)
  if (Option.isNone(failure)) return "defect"
  const tag: unknown = (failure.value as { readonly _tag?: unknown } | null)?._tag
  return typeof tag === "string" ? tag : "failure"
}

/** The exporter writes the stack of a failure, which would be that of this file. */
const failed = (fault: string): Exit.Exit<never, Error> => {
  const error = new Error(fault)
  error.stack = fault
  return Exit.fail(error)
}

/** The message of a real error may hold user values, so the span has only its name. */
const endOf = (exit: Exit.Exit<unknown, unknown>, fault: string | undefined): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit)) return fault === undefined ? Exit.void : failed(fault)
  return Cause.hasInterruptsOnly(exit.cause) ? Exit.interrupt() : failed(faultOf(exit.cause))
}

const setAll = (span: Tracer.Span, attributes: SpanGiven["attributes"] = {}): void => {
  for (const [name, value] of Object.entries(attributes)) span.attribute(name, value)
}

/** Sends spans to the tracer. `isSampled` decides on each root. */
export const tracingWith = (tracer: Tracer.Tracer, isSampled: () => boolean): Tracing => {
  const inSpan = <A, E, R>(
    name: string,
    { kind = "internal", attributes, links = [] }: SpanGiven,
    parent: Tracer.AnySpan | undefined,
    work: Effect.Effect<A, E, R>,
    describe?: Describe<A>,
  ): Effect.Effect<A, E, R> => {
    const span = tracer.span({
      name,
      kind,
      parent: Option.fromUndefinedOr(parent),
      annotations: Context.empty(),
      links: links.map((linked) => ({ span: linked, attributes: {} })),
      startTime: nanos(),
      root: parent === undefined,
      sampled: true,
    })
    setAll(span, attributes)
    return work.pipe(
      Effect.withParentSpan(span),
      Effect.withTracer(tracer),
      Effect.onExit((exit) =>
        Effect.sync(() => {
          const end = Exit.isSuccess(exit) ? describe?.(exit.value) : undefined
          setAll(span, end?.attributes)
          span.end(nanos(), endOf(exit, end?.fault))
        }),
      ),
    )
  }

  /** Spans created by libraries are not sent. */
  const current = Effect.flatMap(Effect.tracer, (present) =>
    present === tracer
      ? Effect.map(Effect.option(Effect.currentParentSpan), Option.getOrUndefined)
      : Effect.succeed<Tracer.AnySpan | undefined>(undefined),
  )

  return {
    isOn: true,
    current,
    root: (name, given, work, describe) =>
      Effect.suspend(() => {
        const { parent, links } = given
        const sampled = links === undefined ? parent?.sampled !== false && isSampled() : links.length > 0
        return sampled ? inSpan(name, given, parent, work, describe) : work
      }),
    within: (name, given, work, describe) =>
      Effect.flatMap(current, (parent) => (parent === undefined ? work : inSpan(name, given, parent, work, describe))),
  }
}
