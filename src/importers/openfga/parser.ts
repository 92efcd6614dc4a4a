// What is used of `@openfga/syntax-transformer`, OpenFGA's own parser: models as its API has them. The package is a peer
// that only an import loads. Lines in its errors count from 0.
import type { Place, Problem } from '../../management/policy-file/problem.ts'
import { toErrorLine } from '../../model/error-line.ts'
import { loadPeer } from '../frame/load-peer.ts'

/** An authorization model, as OpenFGA's API takes it. */
export interface ModelJson {
  readonly schema_version: string
  readonly type_definitions: readonly TypeJson[]
  readonly conditions?: Readonly<Record<string, ConditionJson>>
}
export interface TypeJson {
  readonly type: string
  readonly relations?: Readonly<Record<string, RewriteJson>>
  readonly metadata?: {
    readonly relations?: Readonly<
      Record<string, { readonly directly_related_user_types?: readonly RestrictionJson[] | null }>
    > | null
  } | null
}
export interface RestrictionJson {
  readonly type: string
  readonly relation?: string
  readonly wildcard?: object
  readonly condition?: string
}
export interface ConditionJson {
  readonly expression: string
  readonly parameters?: Readonly<Record<string, { readonly type_name: string }>>
}
/** What a relation is defined as: one of the members. */
export interface RewriteJson {
  readonly this?: object
  readonly computedUserset?: { readonly relation?: string }
  readonly tupleToUserset?: {
    readonly tupleset: { readonly relation?: string }
    readonly computedUserset: { readonly relation?: string }
  }
  readonly union?: { readonly child: readonly RewriteJson[] }
  readonly intersection?: { readonly child: readonly RewriteJson[] }
  readonly difference?: { readonly base: RewriteJson; readonly subtract: RewriteJson }
}

export interface Parser {
  readonly transformer: {
    transformDSLToJSONObject(text: string): ModelJson
    transformJSONToDSL(model: object): string
    transformModFileToJSON(text: string): {
      readonly schema: { readonly value: string }
      readonly contents: {
        readonly value: readonly { readonly value: string; readonly line: { readonly start: number } }[]
      }
    }
    transformModuleFilesToModel(
      files: readonly { readonly name: string; readonly contents: string }[],
      schema: string,
    ): ModelJson
  }
  readonly validator: {
    validateDSL(text: string): void
  }
}

/** @throws PACKAGE_MISSING when it is not installed */
export async function loadParser(): Promise<Parser> {
  const loaded = await loadPeer<Parser & { readonly default?: Parser }>('@openfga/syntax-transformer')
  return loaded.default ?? loaded
}

/** What the parser says about a text, each with its line. */
export function toProblems(error: unknown, placeOf: (line: number, file: string | undefined) => Place): Problem[] {
  const { errors } = error as { readonly errors?: readonly Partial<ParserError>[] }
  if (!Array.isArray(errors) || errors.length === 0)
    return [{ severity: 'error', message: `OpenFGA's parser: ${toErrorLine(error)}`, place: placeOf(0, undefined) }]
  return errors.map(({ msg = 'this is not understood', line, file }: Partial<ParserError>) => ({
    severity: 'error',
    message: `OpenFGA's parser: ${msg.split('\n')[0]}`,
    place: placeOf(line?.start ?? 0, file),
  }))
}

interface ParserError {
  readonly msg: string
  readonly line: { readonly start: number }
  readonly file?: string
}
