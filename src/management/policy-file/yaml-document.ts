// One file as text: YAML, which includes JSON, read to a plain value, with the place of every part of it.
// Refuses what makes a file mean something else than it shows: anchors and aliases, merge keys, tags, keys that appear
// twice, several documents. Bounded in size and depth before anything expensive is done.
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  Parser,
} from 'yaml'
import { POLICY_FILE_BYTES_MAX, POLICY_FILE_DEPTH_MAX } from '../../model/limits.ts'
import type { Path } from '../rules/fields.ts'
import type { Place, Problem, Source } from './problem.ts'
import { yamlSentence } from './yaml-sentence.ts'

/** Two names of one field: version 1 of the form, and the API, name references differently. */
const SAME_FIELD: ReadonlyMap<string, string> = new Map([
  ['resource', 'resource_id'],
  ['resource_id', 'resource'],
  ['parent', 'parent_id'],
  ['parent_id', 'parent'],
])

/** The text that a file consists of, as far as it can be read. */
export class YamlDocument {
  readonly name: string
  /** undefined when the text is not one YAML document */
  readonly value: unknown
  readonly problems: readonly Problem[]
  readonly #lines = new LineCounter()
  readonly #problems: Problem[] = []
  readonly #root: Node | null

  constructor({ name, text }: Source) {
    this.name = name
    this.#root = this.#parse(text.startsWith('\ufeff') ? text.slice(1) : text)
    const value = this.#root === null ? undefined : this.#valueOf(this.#root)
    this.problems = this.#problems
    this.value = this.problems.length > 0 ? undefined : value
  }

  /**
   * Where the part of the value stands that the path names: its value, or with `key` its name. A path that leads to
   * nothing gives the place of the nearest part around it.
   */
  place(path: Path, which: 'key' | 'value' = 'value'): Place {
    let [node, key]: [Node | null, Node | null] = [this.#root, null]
    let isWhole = true
    for (const segment of path) {
      const next = findMember(node, segment)
      if (next === undefined) {
        isWhole = isScalar(node)
        break
      }
      ;[node, key] = next
    }
    const isPlain = isScalar(node) && node.value !== null
    const shown = isWhole && which === 'value' && isPlain ? node : (key ?? node)
    return this.#placeOf(shown ?? this.#root)
  }

  /** Where the first key or text at the path or below it stands that is wanted. */
  placeOfWord(path: Path, wanted: (word: string) => boolean): Place | undefined {
    let node: Node | null = this.#root
    for (const segment of path) node = findMember(node, segment)?.[0] ?? null
    const found = wordBelow(node, wanted)
    return found && this.#placeOf(found)
  }

  #parse(text: string): Node | null {
    if (Buffer.byteLength(text) > POLICY_FILE_BYTES_MAX) {
      return this.#refuse(`the file is larger than ${POLICY_FILE_BYTES_MAX} bytes: split it into several files`, 0, 0)
    }
    const tokens = [...new Parser(this.#lines.addNewLine).parse(text)]
    const deep = tokens.map(tooDeep).find((offset) => offset !== undefined)
    if (deep !== undefined) {
      return this.#refuse(`the file is nested deeper than ${POLICY_FILE_DEPTH_MAX} levels`, deep, deep)
    }
    const composer = new Composer({ uniqueKeys: false, merge: false, version: '1.2' })
    const [document, second] = [...composer.compose(tokens, true, text.length)] as Document.Parsed[]
    if (document === undefined) return null
    // what follows the first error is often its consequence
    const [wrong] = [...document.errors, ...document.warnings]
    if (wrong !== undefined) {
      const [from, to] = wrong.pos
      const at = from + (/^ */.exec(text.slice(from))?.[0].length ?? 0)
      return this.#refuse(yamlSentence(wrong.code, wrong.message), at, Math.max(at, to))
    }
    if (document.directives?.yaml.version !== '1.2') {
      return this.#refuse('this file is read as YAML 1.2: remove the line that begins with `%`', 0, 0)
    }
    if (second !== undefined) {
      const at = second.contents?.range?.[0] ?? second.range[0]
      return this.#refuse('a second YAML document begins here: put it into a file of its own', at, at)
    }
    if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
      return this.#refuse('the file is empty: a policy file begins with `zerohop: 2`', 0, 0)
    }
    return document.contents
  }

  #refuse(message: string, from: number, to: number): null {
    this.#problems.push({ severity: 'error', message, place: this.#at(from, to) })
    return null
  }

  #valueOf(node: Node | null): unknown {
    if (node === null) return null
    if (isAlias(node) || node.anchor !== undefined) {
      const name = isAlias(node) ? `*${node.source}` : `&${node.anchor}`
      this.#wrong(`anchors and aliases such as \`${name}\` are not supported: write the value out`, node)
      return null
    }
    if (node.tag !== undefined && !/^tag:yaml\.org,2002:(str|map|seq|null|bool|int|float)$/.test(node.tag)) {
      this.#wrong(`tags such as \`${node.tag}\` are not supported`, node)
      return null
    }
    if (isSeq<Node | Pair>(node)) return node.items.map((item) => this.#valueOf(isPair(item) ? null : item))
    if (isMap<Node, Node | null>(node)) return this.#mapOf(node.items)
    return isScalar(node) ? (node.value ?? null) : null
  }

  /** `__proto__` is a key like any other: `Object.fromEntries` makes it an own member. */
  #mapOf(pairs: readonly Pair<Node, Node | null>[]): Readonly<Record<string, unknown>> {
    const seen = new Map<string, Node>()
    const members: [string, unknown][] = []
    for (const { key, value } of pairs) {
      const name = findKey(key)
      const before = name === undefined ? undefined : seen.get(name)
      if (name === undefined) this.#wrong('a key must be a text', key)
      else if (name === '<<') this.#wrong('merge keys (`<<`) are not supported: write the fields out', key)
      else if (before !== undefined) {
        const related = { place: this.#placeOf(before), message: 'first here' }
        this.#problems.push({
          severity: 'error',
          message: `key \`${name}\` appears twice`,
          place: this.#placeOf(key),
          related,
        })
      } else {
        seen.set(name, key)
        members.push([name, this.#valueOf(value)])
      }
    }
    return Object.fromEntries(members)
  }

  #wrong(message: string, node: Node): void {
    this.#problems.push({ severity: 'error', message, place: this.#placeOf(node) })
  }

  #placeOf(node: Node | null): Place {
    const [from, to] = node?.range ?? [0, 0]
    return this.#at(from, isCollection(node) ? from : to)
  }

  #at(from: number, to: number): Place {
    const { line, col } = this.#lines.linePos(from)
    const end = this.#lines.linePos(to)
    const length = end.line === line ? Math.max(1, end.col - col) : 1
    // an empty text has no line
    return { file: this.name, line: Math.max(1, line), column: Math.max(1, col), length }
  }
}

/** The node of a member or item, and that of its key. */
function findMember(node: Node | null, segment: string | number): [Node | null, Node | null] | undefined {
  if (isSeq<Node>(node) && typeof segment === 'number') {
    const item = node.items[segment]
    return item === undefined ? undefined : [item, null]
  }
  if (!isMap<Node, Node | null>(node)) return undefined
  const named = (name: string | undefined) => node.items.find(({ key }) => findKey(key) === name)
  const pair = named(String(segment)) ?? named(SAME_FIELD.get(String(segment)) ?? '')
  return pair && [pair.value, pair.key]
}

/** A key as it is written, without its quotes: `404` and `null` are names too. */
function findKey(key: Node | null): string | undefined {
  return isScalar(key) ? (key.source ?? String(key.value ?? '')) : undefined
}

function wordBelow(node: Node | null, wanted: (word: string) => boolean): Node | undefined {
  if (isScalar(node)) return wanted(String(node.value)) ? node : undefined
  const below = isSeq<Node>(node) ? node.items : []
  const pairs = isMap<Node, Node | null>(node) ? node.items : []
  for (const each of [...below, ...pairs.flatMap(({ key, value }) => [key, value])]) {
    const found = wordBelow(each, wanted)
    if (found !== undefined) return found
  }
  return undefined
}

/** Where the text is nested too deep: found without recursion, because composing it is recursive. */
function tooDeep(token: CST.Token): number | undefined {
  const open: [CST.Token, number][] = token.type === 'document' && token.value ? [[token.value, 1]] : []
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [here, depth] = next
    if (!('items' in here)) continue
    if (depth > POLICY_FILE_DEPTH_MAX) return here.offset
    for (const { key, value } of here.items) {
      if (key) open.push([key, depth + 1])
      if (value) open.push([value, depth + 1])
    }
  }
  return undefined
}
