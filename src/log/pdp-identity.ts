// How a PDP introduces itself when it opens the stream of deltas, in headers: a server that does not know them ignores
// them. It is shown to people, and decides nothing.
import { ZerohopError } from '../model/errors.ts'
import { PDP_NAME_LENGTH_MAX } from '../model/limits.ts'

export interface PdpIdentity {
  /** the same over reconnects; another one after a restart */
  readonly instance: string
  readonly name: string | undefined
  readonly version: string | undefined
  /** as its `GET /version` says; 1 of a PDP for clients of the first API version */
  readonly apiVersion: number | undefined
}

export const INSTANCE_PATTERN = '^[0-9A-Za-z-]{8,64}$'
const INSTANCE = new RegExp(INSTANCE_PATTERN)
const VERSION = /^[\x21-\x7e]{1,32}$/
/** No control characters, line ends, or marks that turn the direction of text. */
const NAME = new RegExp(`^[^\\p{C}\\p{Zl}\\p{Zp}]{1,${PDP_NAME_LENGTH_MAX}}$`, 'u')
const REVISION = /^\d{1,15}$/
const API_VERSION = /^[1-9]\d{0,3}$/

/** @throws CONFIG_INVALID when it cannot be the name of a PDP */
export function requirePdpName(name: string): string {
  if (NAME.test(name)) return name
  const reason = `the name of a PDP has 1 to ${PDP_NAME_LENGTH_MAX} printable characters`
  throw new ZerohopError('CONFIG_INVALID', { reason })
}

/** Whether it can be the name of a PDP. */
export const isPdpName = (name: string): boolean => NAME.test(name)

/** @param applied the revision that answers; undefined before there is one */
export function identityHeaders(
  { instance, name, version, apiVersion }: PdpIdentity,
  applied: number | undefined,
): Record<string, string> {
  return {
    'x-pdp-instance': instance,
    // headers have no other characters than those of Latin-1
    ...(name === undefined ? {} : { 'x-pdp-name': encodeURIComponent(name) }),
    ...(version === undefined ? {} : { 'x-pdp-version': version }),
    ...(apiVersion === undefined ? {} : { 'x-pdp-api-version': String(apiVersion) }),
    ...(applied === undefined ? {} : { 'x-pdp-revision': String(applied) }),
  }
}

/** What those headers say; undefined without a readable instance. What has another form counts as not sent. */
export function readIdentity(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): (PdpIdentity & { readonly applied: number | undefined }) | undefined {
  const text = (name: string, form: RegExp): string | undefined => {
    const value = headers[name]
    return typeof value === 'string' && form.test(value) ? value : undefined
  }
  const instance = text('x-pdp-instance', INSTANCE)
  if (instance === undefined) return undefined
  const number = (name: string, form: RegExp): number | undefined => {
    const digits = text(name, form)
    return digits === undefined ? undefined : Number(digits)
  }
  return {
    instance,
    name: decodeName(text('x-pdp-name', /./)),
    version: text('x-pdp-version', VERSION),
    apiVersion: number('x-pdp-api-version', API_VERSION),
    applied: number('x-pdp-revision', REVISION),
  }
}

function decodeName(name: string | undefined): string | undefined {
  try {
    const text = decodeURIComponent(name ?? '')
    return NAME.test(text) ? text : undefined
  } catch {
    return undefined
  }
}
