// Cedar's own package, compiled to WebAssembly: it parses, validates and answers. It is a peer that only an import loads.
import { loadPeer } from '../frame/load-peer.ts'

export interface CedarError {
  readonly message: string
  readonly sourceLocations?: readonly { readonly start: number }[]
}
type Failure = { readonly type: 'failure'; readonly errors: readonly CedarError[] }
export type Answer<T> = Failure | ({ readonly type: 'success' } & T)

/** What is used of the package. */
export interface Cedar {
  policySetTextToParts(
    text: string,
  ): Answer<{ readonly policies: readonly string[]; readonly policy_templates: readonly string[] }>
  policyToJson(text: string): Answer<{ readonly json: unknown }>
  schemaToText(schema: unknown): Answer<{ readonly text: string }>
  schemaToJsonWithResolvedTypes(text: string): Answer<{ readonly json: unknown }>
  checkParseEntities(call: object): Answer<object>
  preparsePolicySet(id: string, policies: object): Answer<object>
  preparseSchema(name: string, schema: unknown): Answer<object>
  validate(call: object): Answer<{ readonly validationErrors: readonly { readonly error: CedarError }[] }>
  statefulIsAuthorized(
    call: object,
  ): Answer<{ readonly response: { readonly decision: string; readonly diagnostics: { readonly errors: unknown } } }>
  getCedarSDKVersion(): string
}

/** @throws PACKAGE_MISSING */
export async function loadCedar(): Promise<Cedar> {
  const made = await loadPeer<Cedar & { readonly default?: Cedar }>('@cedar-policy/cedar-wasm/nodejs')
  return made.default ?? made
}
