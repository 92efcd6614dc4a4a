// The variables of the decision log and of traces, as settings.
import type { closed, Static } from '../../model/json-schema.ts'
import type { RECORD_VARIABLES } from './variables/record-variables.ts'

type Values = Static<ReturnType<typeof closed<typeof RECORD_VARIABLES>>>

export interface DecisionLogEnv {
  /** empty: no decision is recorded; undefined when nothing is said: the command knows */
  readonly sinks: Values['PDP_DECISION_LOG'] | undefined
  readonly folder: string | undefined
  readonly policy: NonNullable<Values['PDP_DECISION_LOG_POLICY']>
  readonly bufferBytes: number
  readonly fileBytes: number
  readonly files: number
  readonly attributes: boolean | 'read'
  readonly reasons: boolean
}

/** The standard variables that say whether there are traces, and of what; the rest is read by the packages. */
export interface TracingEnv {
  readonly exporter: NonNullable<Values['OTEL_TRACES_EXPORTER']>
  readonly serviceName: string | undefined
  readonly resource: Readonly<Record<string, string>>
}

/** What goes on to someone else must not stop the answers when that someone is away, unless the operator says so. */
export function readDecisionLog(values: Values): DecisionLogEnv {
  const sinks = values.PDP_DECISION_LOG
  return {
    sinks,
    folder: values.PDP_DECISION_LOG_FOLDER,
    policy: values.PDP_DECISION_LOG_POLICY ?? (sinks?.every((sink) => sink === 'file') ? 'block' : 'drop'),
    bufferBytes: values.PDP_DECISION_LOG_BUFFER,
    fileBytes: values.PDP_DECISION_LOG_FILE_SIZE,
    files: values.PDP_DECISION_LOG_FILES,
    attributes: values.PDP_DECISION_LOG_ATTRIBUTES || (values.PDP_DECISION_LOG_READ_ATTRIBUTES && 'read'),
    reasons: values.PDP_DECISION_LOG_REASONS,
  }
}

/** On when an exporter is named or an address is given. */
export function readTracing(values: Values): TracingEnv {
  const address = values.OTEL_EXPORTER_OTLP_ENDPOINT ?? values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const exporter = values.OTEL_TRACES_EXPORTER ?? (address === undefined ? 'none' : 'otlp')
  return {
    exporter: values.OTEL_SDK_DISABLED ? 'none' : exporter,
    serviceName: values.OTEL_SERVICE_NAME,
    resource: values.OTEL_RESOURCE_ATTRIBUTES ?? {},
  }
}
