// The links of one role definition (`g`, `g2` …): who has which role, of whom, in which domain. A link holds over at most
// ten steps, as in casbin.
import type { PolicyLine } from './policy-lines.ts'

/** Steps that casbin follows. */
const LINK_STEPS_MAX = 10

export interface Link {
  readonly from: string
  readonly to: string
  /** undefined where the definition has no domains */
  readonly domain: string | undefined
  readonly line: PolicyLine
}

interface Graph {
  readonly links: Link[]
  readonly up: Map<string, Link[]>
  readonly down: Map<string, Link[]>
}

export class Links {
  readonly #byDomain = new Map<string | undefined, Graph>()

  constructor(
    readonly hasDomains: boolean,
    readonly all: readonly Link[],
  ) {
    for (const link of all) {
      const graph: Graph = this.#byDomain.get(link.domain) ?? { links: [], up: new Map(), down: new Map() }
      this.#byDomain.set(link.domain, graph)
      graph.links.push(link)
      append(graph.up, link.from, link)
      append(graph.down, link.to, link)
    }
  }

  /** Domains with links; undefined stands for all where there are none. */
  get domains(): readonly (string | undefined)[] {
    return [...this.#byDomain.keys()]
  }

  /** Links of a domain that begin at the name. */
  listFrom(name: string, domain: string | undefined): readonly Link[] {
    return this.#graph(domain)?.up.get(name) ?? []
  }

  /** Links of a domain that end at the name. */
  listTo(name: string, domain: string | undefined): readonly Link[] {
    return this.#graph(domain)?.down.get(name) ?? []
  }

  /** Links of a domain: without domains all of them, in each. */
  listIn(domain: string | undefined): readonly Link[] {
    return this.#graph(domain)?.links ?? []
  }

  /** The names that are linked to the name, itself among them, each with its distance. */
  listLinkedTo(name: string, domain: string | undefined, steps: number = LINK_STEPS_MAX): ReadonlyMap<string, number> {
    return walk(name, steps, (at) => (this.#graph(domain)?.down.get(at) ?? []).map(({ from }) => from))
  }

  /** The names to which the name is linked, itself among them, each with its distance. */
  listReached(name: string, domain: string | undefined, steps: number = LINK_STEPS_MAX): ReadonlyMap<string, number> {
    return walk(name, steps, (at) => this.listFrom(at, domain).map(({ to }) => to))
  }

  #graph(domain: string | undefined): Graph | undefined {
    return this.#byDomain.get(this.hasDomains ? domain : undefined)
  }
}

function walk(start: string, steps: number, next: (name: string) => readonly string[]): Map<string, number> {
  const found = new Map([[start, 0]])
  let edge = [start]
  for (let step = 1; step <= steps && edge.length > 0; step++) {
    const beyond: string[] = []
    for (const name of edge.flatMap(next)) {
      if (found.has(name)) continue
      found.set(name, step)
      beyond.push(name)
    }
    edge = beyond
  }
  return found
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

/** Links that the roles of Zerohop cannot have, which are left out, with why. Leaving a link out never allows more. */
export function findUnsaidLinks(links: Links, isAsked: (name: string) => boolean): ReadonlyMap<Link, string> {
  const unsaid = new Map<Link, string>()
  for (const domain of links.domains) {
    for (const link of listFar(links, domain, isAsked))
      unsaid.set(link, `it leads to a chain of more than ${LINK_STEPS_MAX} links, where casbin stops`)
    for (const link of listCircles(links, domain)) unsaid.set(link, 'the roles are linked in a circle')
  }
  return unsaid
}

export const looksLikePattern = (name: string): boolean => /\*|\/:|\{.*\}/.test(name)

/** Links that lead from the last name that casbin reaches of someone to one that it does not reach. */
function* listFar(links: Links, domain: string | undefined, isAsked: (name: string) => boolean): Iterable<Link> {
  for (const start of new Set(links.listIn(domain).map(({ from }) => from))) {
    if (!isAsked(start)) continue
    const reached = links.listReached(start, domain, LINK_STEPS_MAX + 1)
    for (const [name, distance] of reached)
      if (distance === LINK_STEPS_MAX)
        for (const link of links.listFrom(name, domain)) if (reached.get(link.to) === LINK_STEPS_MAX + 1) yield link
  }
}

/** Links whose end leads back to their beginning: those within a strongly connected part (Kosaraju). */
function listCircles(links: Links, domain: string | undefined): readonly Link[] {
  const order: string[] = []
  const seen = new Set<string>()
  for (const { from } of links.listIn(domain)) {
    const open: { readonly name: string; readonly isDone: boolean }[] = [{ name: from, isDone: false }]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next.isDone) order.push(next.name)
      if (next.isDone || seen.has(next.name)) continue
      seen.add(next.name)
      open.push({ name: next.name, isDone: true })
      for (const { to } of links.listFrom(next.name, domain)) if (!seen.has(to)) open.push({ name: to, isDone: false })
    }
  }
  const part = new Map<string, string>()
  for (const root of order.reverse()) {
    const open = [root]
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (part.has(name)) continue
      part.set(name, root)
      open.push(...links.listLinkedTo(name, domain, 1).keys())
    }
  }
  return links.listIn(domain).filter(({ from, to }) => part.get(from) === part.get(to))
}
