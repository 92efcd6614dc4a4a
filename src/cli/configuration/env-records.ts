// The variables of the decision log and of traces, as settings. They are read by src/cli/configuration/env.ts, which names them all.
import {
  DECISION_BUFFER_BYTES_DEFAULT,
  DECISION_FILE_BYTES_DEFAULT,
  DECISION_FILES_DEFAULT,
} from '../../model/limits.ts'
import { invalid } from './env-invalid.ts'

/** What the variables that this file is about were read as. */
interface Read {
  readonly PDP_DECISION_LOG: readonly DecisionSink[]
  readonly PDP_DECISION_LOG_FOLDER: string
  readonly PDP_DECISION_LOG_POLICY: 'block' | 'drop'
  readonly PDP_DECISION_LOG_BUFFER: number
  readonly PDP_DECISION_LOG_FILE_SIZE: number
  readonly PDP_DECISION_LOG_FILES: number
  readonly PDP_DECISION_LOG_ATTRIBUTES: boolean
  readonly PDP_DECISION_LOG_REASONS: boolean
  readonly OTEL_SDK_DISABLED: boolean
  readonly OTEL_TRACES_EXPORTER: string
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: string
  readonly OTEL_SERVICE_NAME: string
  readonly OTEL_RESOURCE_ATTRIBUTES: string
}
export type RecordValues = <N extends keyof Read>(name: N) => Read[N] | undefined

/** Where records of decisions go. */
export type DecisionSink = 'file' | 'stdout' | 'api'

export interface DecisionLogEnv {
  /** empty: no decision is recorded */
  readonly sinks: readonly DecisionSink[]
  readonly folder: string | undefined
  readonly policy: 'block' | 'drop'
  readonly bufferBytes: number
  readonly fileBytes: number
  readonly files: number
  readonly attributes: boolean
  readonly reasons: boolean
}

/** The standard variables that say whether there are traces, and of what; the rest is read by the packages. */
export interface TracingEnv {
  readonly exporter: 'otlp' | 'console' | 'none'
  readonly serviceName: string | undefined
  readonly resource: Readonly<Record<string, string>>
}

/** What goes on to somebody else must not stop the answers when that somebody is away, unless the operator says so. */
export function readDecisionLog(value: RecordValues): DecisionLogEnv {
  const sinks = value('PDP_DECISION_LOG') ?? []
  return {
    sinks,
    folder: value('PDP_DECISION_LOG_FOLDER'),
    policy: value('PDP_DECISION_LOG_POLICY') ?? (sinks.every((sink) => sink === 'file') ? 'block' : 'drop'),
    bufferBytes: value('PDP_DECISION_LOG_BUFFER') ?? DECISION_BUFFER_BYTES_DEFAULT,
    fileBytes: value('PDP_DECISION_LOG_FILE_SIZE') ?? DECISION_FILE_BYTES_DEFAULT,
    files: value('PDP_DECISION_LOG_FILES') ?? DECISION_FILES_DEFAULT,
    attributes: value('PDP_DECISION_LOG_ATTRIBUTES') ?? false,
    reasons: value('PDP_DECISION_LOG_REASONS') ?? false,
  }
}

/** On when an exporter is named or an address is given. @throws CONFIG_INVALID */
export function readTracing(value: RecordValues): TracingEnv {
  const address = value('OTEL_EXPORTER_OTLP_ENDPOINT') ?? value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const named = value('OTEL_TRACES_EXPORTER') ?? (address === undefined ? 'none' : 'otlp')
  if (named !== 'otlp' && named !== 'console' && named !== 'none')
    throw invalid('OTEL_TRACES_EXPORTER', '`otlp`, `console` or `none`', named)
  return {
    exporter: value('OTEL_SDK_DISABLED') ? 'none' : named,
    serviceName: value('OTEL_SERVICE_NAME'),
    resource: readPairs(value('OTEL_RESOURCE_ATTRIBUTES') ?? ''),
  }
}

/** `name=value,…`, percent-encoded as the standard has it. @throws CONFIG_INVALID */
function readPairs(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').filter((pair) => pair.includes('='))
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        const at = pair.indexOf('=')
        return [pair.slice(0, at), pair.slice(at + 1)].map((part) => decodeURIComponent(part.trim()))
      }),
    )
  } catch {
    throw invalid('OTEL_RESOURCE_ATTRIBUTES', 'percent-encoded `name=value` with commas between', text)
  }
}

export function sinks(value: string, name: string): readonly DecisionSink[] {
  if (['off', 'false', 'no', '0'].includes(value.toLowerCase())) return []
  const known = ['file', 'stdout', 'api'] as const
  return value.split(',').map((word) => {
    const sink = known.find((each) => each === word.trim().toLowerCase())
    if (sink === undefined)
      throw invalid(name, '`off`, or some of `file`, `stdout` and `api` with commas between', value)
    return sink
  })
}

export function policy(value: string, name: string): 'block' | 'drop' {
  if (value !== 'block' && value !== 'drop') throw invalid(name, '`block` or `drop`', value)
  return value
}
