// The canonical form of a policy file: fields in the order of the schema, two blanks of indentation, quotes only where
// they are needed. Comments, the order of objects, empty lines, and what stands in brackets are the author's. The value
// never changes, and no comment is lost.
import { isDeepStrictEqual } from 'node:util'
import type { Shape } from '../rules/shape.ts'
import { printTree } from './format-print.ts'
import { readTree, type Value } from './format-tree.ts'
import type { Problem, Source } from './problem.ts'
import { findForm } from './versions.ts'
import { YamlDocument } from './yaml-document.ts'

/** What editors read to complete a file. */
export const SCHEMA_LINE = '# yaml-language-server: $schema='

export interface Formatted {
  /** undefined when the text cannot be read */
  readonly text: string | undefined
  readonly problems: readonly Problem[]
}

/**
 * The file in its canonical form; JSON when its name ends in `.json`.
 * @param schema where its JSON Schema is, seen from the file: a first line is added without one; undefined for no
 * such line
 */
export function formatPolicy(source: Source, schema?: string): Formatted {
  const { value, problems } = new YamlDocument(source)
  if (value === undefined) return { text: undefined, problems }
  const form = (findForm(value) ?? {}) as Shape
  if (/\.json$/i.test(source.name)) return { text: `${JSON.stringify(ordered(form, value), null, 2)}\n`, problems: [] }
  const { header, root } = readTree(source.text.replace(/^\ufeff/, ''))
  const needsLine = schema !== undefined && !source.text.includes(SCHEMA_LINE)
  const text = printTree({
    header: needsLine ? [`${SCHEMA_LINE}${schema}`, ...header] : header,
    root: arranged(form, root),
  })
  if (isDeepStrictEqual(new YamlDocument({ name: source.name, text }).value, value)) return { text, problems: [] }
  const message = 'this file holds YAML that cannot be laid out anew: it is left as it is'
  return {
    text: undefined,
    problems: [{ severity: 'error', message, place: { file: source.name, line: 1, column: 1, length: 1 } }],
  }
}

/** The value with the members of objects in the order of the schema. */
function ordered(shape: Shape, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => ordered(shape.items ?? {}, item))
  if (typeof value !== 'object' || value === null) return value
  const form = shapeOfMap(shape)
  const members = Object.entries(value).sort(([one], [other]) => rank(form, one) - rank(form, other))
  return Object.fromEntries(members.map(([name, inside]) => [name, ordered(memberShape(form, name), inside)]))
}

function arranged(shape: Shape, value: Value): Value {
  if (value.kind === 'leaf') return value
  const form = shapeOfMap(shape)
  const entries = value.entries.map((entry) => {
    return {
      ...entry,
      value: arranged(entry.key === undefined ? (shape.items ?? {}) : memberShape(form, entry.key), entry.value),
    }
  })
  if (value.kind === 'map') entries.sort((one, other) => rank(form, one.key ?? '') - rank(form, other.key ?? ''))
  return { ...value, entries }
}

const shapeOfMap = (shape: Shape): Shape => shape.anyOf?.find(({ type }) => type === 'object') ?? shape

/** Where a field stands; what the schema does not name keeps its place after the others. */
function rank({ properties = {} }: Shape, name: string): number {
  const at = Object.keys(properties).indexOf(name)
  return at < 0 ? Number.MAX_SAFE_INTEGER : at
}

function memberShape({ properties = {}, additionalProperties }: Shape, name: string): Shape {
  return (Object.hasOwn(properties, name) ? properties[name] : additionalProperties || undefined) ?? {}
}
