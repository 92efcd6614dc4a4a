// The JSON Schema of policy files, made from the very schema that they are compared with, for editors: by it they
// complete names and show descriptions. Written when the project is built (scripts/build-dist.mjs); no server loads it.
import { PolicyFile } from '../management/schemas/policy-file.ts'
import { schemaName, type TSchema } from '../model/json-schema.ts'
import { NamedSchemas } from './named-schemas.ts'

type Part = Readonly<Record<string, unknown>>

/** It knows the form of version 2; names are judged by `zerohop validate`. */
export const policyJsonSchema = (): Part => makeJsonSchema(PolicyFile, 'Policy file of Zerohop')

/** The JSON Schema of a named form, in draft 7, which editors know best. */
export function makeJsonSchema(form: TSchema, title: string): Part {
  const schemas = new NamedSchemas()
  schemas.published(form)
  const { [schemaName(form) ?? '']: file, ...definitions } = Object.fromEntries(
    schemas.all().map(({ $id, ...schema }) => [String($id), standard(schema)]),
  )
  return { $schema: 'http://json-schema.org/draft-07/schema#', title, ...(file as Part), definitions }
}

/** The description of a field in the API, changed to fit files, which know no ids. */
export const inFiles = (description: string): string =>
  description
    .replace(/, (in|with) keys or ids$/, '')
    .replace(/\b(key|keys) or ids?\b/g, '$1')
    .replace(/\bid or `type:key`/, '`type:key`')

/** A block of a map may say nothing, as `read` in `actions: { read: }`, unless it must have a member. */
function mayBeLeftEmpty(block: unknown): unknown {
  const { type, required } = (block ?? {}) as Part
  return type === 'object' && required === undefined ? { ...(block as Part), nullable: true } : block
}

/** Without words of OpenAPI: `nullable`, and references by name. */
function standard(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(standard)
  if (typeof part !== 'object' || part === null) return part
  const { nullable, type, $ref, ...rest } = part as Part
  const members = Object.fromEntries(
    Object.entries(rest).map(([word, value]) => [
      word,
      word === 'description' && typeof value === 'string'
        ? inFiles(value)
        : standard(word === 'additionalProperties' ? mayBeLeftEmpty(value) : value),
    ]),
  )
  return {
    ...(type === undefined ? {} : { type: nullable === true ? [...new Set([type, 'null'].flat())] : standard(type) }),
    ...($ref === undefined
      ? {}
      : { $ref: typeof $ref === 'string' ? `#/definitions/${$ref.replace(/#$/, '')}` : standard($ref) }),
    ...members,
  }
}
