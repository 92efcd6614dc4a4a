// Schemas of src/model/json-schema.ts as documents show them: the OpenAPI document, and the JSON Schema of policy
// files.
import { isDeepStrictEqual } from 'node:util'
import { findDocumentation, schemaName } from '../model/json-schema.ts'

/** A JSON schema, or any other part of a document. */
type Part = Readonly<Record<string, unknown>>

/**
 * Schemas as others read them: with their documentation, objects by their names, without the fields that only take null
 * so far.
 */
export class NamedSchemas {
  readonly #schemas = new Map<string, Part>()

  /** all that were met, each under its name */
  all(): readonly Part[] {
    return [...this.#schemas.values()]
  }

  published(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.published(one))
    if (typeof schema !== 'object' || schema === null) return schema
    const name = schemaName(schema)
    if (name === undefined) return this.#inline(schema as Part)
    const { nullable, ...one } = schema as Part
    const shown = { $id: name, ...this.#inline(one) }
    if (!this.#schemas.has(name)) this.#schemas.set(name, shown)
    if (!isDeepStrictEqual(this.#schemas.get(name), shown)) throw new Error(`two schemas are called ${name}`)
    const reference = { $ref: `${name}#` }
    return nullable === true ? { anyOf: [reference, { type: 'null' }] } : reference
  }

  #inline(schema: Part): Part {
    const { properties, ...rest } = { ...schema, ...findDocumentation(schema) } as Part
    const out: Record<string, unknown> = {}
    for (const [word, value] of Object.entries(rest)) out[word] = VALUES.has(word) ? value : this.published(value)
    if (properties !== undefined) {
      const shown = Object.entries(properties as Part).filter(([, value]) => !(value as { later?: unknown }).later)
      out.properties = Object.fromEntries(shown.map(([name, value]) => [name, this.published(value)]))
    }
    return out
  }
}

/** Words of a schema that hold values, not schemas. */
const VALUES = new Set(['enum', 'examples', 'default'])
