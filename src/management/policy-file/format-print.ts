// Prints a tree of format-tree.ts: two blanks of indentation, quotes where they are needed.
import { Document, parse, type Scalar } from 'yaml'
import { FORMAT_LINE_MAX } from '../../model/limits.ts'
import type { Collection, Entry, Tree, Value } from './format-tree.ts'

/** The text of the tree, with a final line break. */
export function printTree({ header, root }: Tree): string {
  const lines = [...header, ...(header.length > 0 ? [''] : [])]
  if (isInLine(root, 0) || root.kind === 'leaf') lines.push(flat(root, false), ...printFoot(root, ''))
  else lines.push(...block(root, ''))
  return `${lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()}\n`
}

function block({ kind, entries, foot }: Collection, indentation: string): string[] {
  const lines = entries.flatMap((entry, at) => {
    const head = entry.head.slice(at === 0 && entry.head[0] === '' ? 1 : 0)
    return [
      ...head.map((line) => indentation + line),
      ...(kind === 'map' ? member(entry, indentation) : item(entry, indentation)),
    ]
  })
  return [...lines, ...foot.map((line) => indentation + line)]
}

function member({ key, value, tail }: Entry, indentation: string): string[] {
  const name = `${indentation}${plain(key ?? '', true)}:`
  if (isInLine(value, name.length)) return inLine(`${name} `, value, tail, indentation)
  const behind = tail.length > 0 ? ` ${joined(tail)}` : ''
  return [`${name}${behind}`, ...block(value as Collection, `${indentation}  `)]
}

/** The first field of a map stands on the line of the dash; comments before it stand before the dash. */
function item({ value, tail }: Entry, indentation: string): string[] {
  const dash = `${indentation}- `
  if (isInLine(value, dash.length)) return inLine(dash, value, tail, indentation)
  const collection = value as Collection
  const [first, ...rest] = collection.entries
  const comments = [...tail, ...(first?.head ?? [])].filter((line) => line !== '').map((line) => indentation + line)
  const inside = block({ ...collection, entries: first ? [{ ...first, head: [] }, ...rest] : [] }, `${indentation}  `)
  return [...comments, dash + (inside[0] ?? '').trimStart(), ...inside.slice(1)]
}

/** Whether the value stands on the line of its key or dash: texts, and what was in brackets, if it fits. */
function isInLine(value: Value, used: number): boolean {
  if (value.kind === 'leaf' || value.entries.length === 0) return true
  return value.flow && !hasComments(value) && used + flat(value, true).length <= FORMAT_LINE_MAX
}

function inLine(before: string, value: Value, tail: readonly string[], indentation: string): string[] {
  const behind = tail.length > 0 ? ` ${joined(tail)}` : ''
  if (value.kind === 'leaf' && value.scalar && /^BLOCK/.test(value.scalar.type ?? '')) {
    const [header = '', ...lines] = blockText(value.scalar)
    return [`${before}${header}${behind}`, ...lines.map((line) => (line === '' ? '' : `${indentation}  ${line}`))]
  }
  return [`${before}${flat(value, false)}${behind}`, ...printFoot(value, `${indentation}  `)]
}

/** Comments in brackets that hold nothing else. */
const printFoot = (value: Value, indentation: string): string[] =>
  value.kind === 'leaf' ? [] : value.foot.map((line) => indentation + line)

function flat(value: Value, isInside: boolean): string {
  if (value.kind === 'leaf') return leaf(value.scalar, isInside)
  if (value.entries.length === 0) return value.kind === 'map' ? '{}' : '[]'
  const entries = value.entries.map(({ key, value: inner }) =>
    key === undefined ? flat(inner, true) : `${plain(key, true)}: ${flat(inner, true)}`,
  )
  return value.kind === 'map' ? `{ ${entries.join(', ')} }` : `[${entries.join(', ')}]`
}

function leaf(scalar: Scalar | null, isInside: boolean): string {
  const value = scalar?.value ?? null
  if (typeof value === 'string') return plain(value, isInside)
  return typeof value === 'number' ? (scalar?.source ?? String(value)) : String(value)
}

const SIMPLE = /^[\p{L}\p{N}_./@*+×-]([\p{L}\p{N}_./@*+×: ()'|;=-]*[\p{L}\p{N}_./@*+×()'|;=-])?$/u
const known = new Map<string, boolean>()

/** The text without quotes when it is read as the same text then. */
function plain(text: string, isInside: boolean): string {
  const isSimple =
    SIMPLE.test(text) && !text.includes(': ') && !/^[-*|]/.test(text) && !(isInside && text.includes(': '))
  return isSimple && isText(text) ? text : JSON.stringify(text)
}

/** Not a number, a truth value, nothing or a time; neither in YAML 1.1, by which many programs read `no` and dates. */
function isText(text: string): boolean {
  if (/^[\p{L}_]/u.test(text) && !/^(y|n|t|f|o|null|nan|inf)/i.test(text)) return true
  const before = known.get(text)
  if (before !== undefined) return before
  const is = parse(text) === text && parse(text, { version: '1.1' }) === text
  if (known.size < 10_000) known.set(text, is)
  return is
}

/** The lines of a text that is written over several lines, the first with `|` or `>`. */
function blockText(scalar: Scalar): string[] {
  const document = new Document(scalar)
  return document
    .toString({ lineWidth: 0, indent: 2 })
    .trimEnd()
    .split('\n')
    .map((line, at) => (at === 0 ? line : line.replace(/^ {2}/, '')))
}

/** Several comments on one line, as when a list of several lines becomes one. */
const joined = (comments: readonly string[]): string => comments.join(' ')

function hasComments(collection: Collection): boolean {
  return (
    collection.foot.length > 0 ||
    collection.entries.some(({ head, tail, value }) => {
      return head.some((line) => line !== '') || tail.length > 0 || (value.kind !== 'leaf' && hasComments(value))
    })
  )
}
