// A YAML text as a tree of entries with their comments, for `zerohop fmt`. A comment on a line of its own belongs to
// the entry after it; when that is indented less than the comment, to the end of the list or map before it. A comment
// behind something belongs to that entry. Printed again and read again, every comment belongs to the same entry.
import {
  Composer,
  type CST,
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  Parser,
  type Scalar,
} from 'yaml'

/** A member of a map, or an item of a list. */
export interface Entry {
  /** undefined for items of lists */
  readonly key: string | undefined
  readonly value: Value
  /** comments on the lines before it; an empty text is an empty line */
  head: string[]
  /** comments behind it */
  tail: string[]
}
export type Value = Collection | Leaf
export interface Collection {
  readonly kind: 'map' | 'list'
  /** whether it stands in brackets */
  readonly flow: boolean
  readonly entries: Entry[]
  /** comments after the last entry */
  foot: string[]
}
export interface Leaf {
  readonly kind: 'leaf'
  readonly scalar: Scalar | null
}

interface Part {
  readonly key: string | undefined
  readonly node: Node | null
  readonly start: number
  readonly isFirst: boolean
}

interface Comment {
  readonly text: string
  readonly offset: number
  readonly line: number
  readonly column: number
  /** whether nothing stands before it on its line */
  readonly isAlone: boolean
}

export interface Tree {
  /** comments at the top that an empty line separates from the first entry */
  readonly header: readonly string[]
  readonly root: Value
}

/** Reads a text that is one valid YAML document. */
export function readTree(text: string): Tree {
  return new Reader(text).tree()
}

class Reader {
  readonly #text: string
  readonly #lines = new LineCounter()
  readonly #document: Document.Parsed
  readonly #comments: Comment[] = []
  #next = 0

  constructor(text: string) {
    this.#text = text
    const tokens = [...new Parser(this.#lines.addNewLine).parse(text)]
    for (const token of tokens) this.#collect(token)
    this.#comments.sort((one, other) => one.offset - other.offset)
    const [document] = [...new Composer({ uniqueKeys: false }).compose(tokens, true, text.length)]
    this.#document = document as Document.Parsed
  }

  tree(): Tree {
    const { contents } = this.#document
    const header = this.#header(this.#lineOf(contents?.range?.[0] ?? 0))
    const root = this.#value(contents, 0, Number.POSITIVE_INFINITY)
    const rest = this.#upTo(Number.POSITIVE_INFINITY, () => true)
    if (root.kind !== 'leaf') root.foot.push(...rest)
    return { header, root }
  }

  /** Comment tokens, wherever they are. */
  #collect(token: unknown): void {
    if (Array.isArray(token)) for (const each of token) this.#collect(each)
    if (typeof token !== 'object' || token === null || Array.isArray(token)) return
    const { type, offset, source } = token as CST.SourceToken
    if (type === 'comment') {
      const { line, col } = this.#lines.linePos(offset)
      const before = this.#text.slice(offset - col + 1, offset)
      this.#comments.push({ text: source.trimEnd(), offset, line, column: col, isAlone: before.trim() === '' })
    } else for (const each of Object.values(token)) if (typeof each === 'object') this.#collect(each)
  }

  #header(firstLine: number): string[] {
    let end = 0
    for (const [at, { line, isAlone }] of this.#comments.entries()) {
      if (!isAlone || line >= firstLine) break
      const after = this.#comments[at + 1]
      const next = after?.isAlone && after.line < firstLine ? after.line : firstLine
      if (next > line + 1) end = at + 1
    }
    return this.#take(end)
  }

  /** The next comments, with an empty line wherever there is one between them. */
  #take(end: number): string[] {
    const taken: string[] = []
    for (; this.#next < end; this.#next++) {
      const comment = this.#comments[this.#next]
      const before = this.#comments[this.#next - 1]
      if (comment === undefined) break
      if (taken.length > 0 && before !== undefined && comment.line > before.line + 1) taken.push('')
      taken.push(comment.text)
    }
    return taken
  }

  /** The comments before the offset, as long as they are wanted. */
  #upTo(offset: number, isWanted: (comment: Comment) => boolean): string[] {
    let end = this.#next
    for (; end < this.#comments.length; end++) {
      const comment = this.#comments[end]
      if (comment === undefined || comment.offset >= offset || !isWanted(comment)) break
    }
    return this.#take(end)
  }

  /**
   * @param outer column of the entries around it
   * @param limit offset of what comes after it
   */
  #value(node: Node | null, outer: number, limit: number): Value {
    if (!isSeq<Node>(node) && !isMap<Node, Node | null>(node)) {
      return { kind: 'leaf', scalar: isScalar(node) ? node : null }
    }
    const parts: { key: string | undefined; value: Node | null; start: number }[] = isSeq<Node>(node)
      ? node.items.map((value) => ({ key: undefined, value, start: this.#startOf(value, node.flow) }))
      : node.items.map(({ key, value }) => ({ key: formatKey(key), value, start: key.range?.[0] ?? 0 }))
    const column = node.flow ? outer : this.#columnOf(parts[0]?.start ?? 0)
    const entries = parts.map(({ key, value, start }, at) => {
      const end = parts[at + 1]?.start ?? (node.flow ? (node.range?.[1] ?? limit) : limit)
      return this.#entry({ key, node: value, start, isFirst: at === 0 }, column, end)
    })
    const foot = node.flow
      ? this.#upTo(node.range?.[1] ?? limit, () => true)
      : this.#upTo(limit, (comment) => comment.isAlone && comment.column > outer && comment.column >= column)
    return { kind: isSeq(node) ? 'list' : 'map', flow: node.flow === true, entries, foot }
  }

  #entry({ key, node, start, isFirst }: Part, column: number, limit: number): Entry {
    const first = this.#next
    const before = this.#upTo(start, () => true)
    const line = this.#next > first ? (this.#comments[first]?.line ?? 1) : this.#lineOf(start)
    const head = !isFirst && this.#isEmptyLine(line - 1) ? ['', ...before] : before
    const isBeside = (at: number) => (comment: Comment) => !comment.isAlone && comment.line === this.#lineOf(at)
    // behind the key or the dash, before the value begins
    const tail = this.#upTo(node?.range?.[0] ?? limit, isBeside(start))
    const value = this.#value(node, column, limit)
    tail.push(...this.#upTo(limit, isBeside(Math.max(start, node?.range?.[1] ?? start))))
    return { key, value, head, tail }
  }

  #isEmptyLine(line: number): boolean {
    const [from, to] = [this.#lines.lineStarts[line - 1], this.#lines.lineStarts[line]]
    return from !== undefined && to !== undefined && this.#text.slice(from, to).trim() === ''
  }

  /** Where an item of a list begins: at its dash, when it has one. */
  #startOf(item: Node, flow: boolean | undefined): number {
    const offset = item.range?.[0] ?? 0
    return flow ? offset : this.#text.lastIndexOf('-', offset - 1)
  }

  #lineOf = (offset: number): number => this.#lines.linePos(offset).line
  #columnOf = (offset: number): number => this.#lines.linePos(offset).col
}

const formatKey = (key: Node): string => (isScalar(key) ? (key.source ?? String(key.value ?? '')) : '')
