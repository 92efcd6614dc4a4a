// The table of routes in docs/http-api.md, made from the routes: which there are, and what key each needs. What a route
// takes and answers is kept as it was written; a row that is new begins with the fields of its schema, required ones in
// bold.

import type { AccessLevel } from '../../src/kinds/api-key.ts'
import { ACCESS } from '../../src/management/rules/access.ts'
import type { Schema } from './bad-input.ts'
import { type Route, shortPath } from './routes.ts'

const LEVEL: Readonly<Record<AccessLevel, string>> = { no_access: 'any', read: 'read', write: 'write', admin: 'admin' }
const ROW = /^\| `([A-Z]+)` \| `(\S+)` \| [^|]* \| (.*) \|$/

/** The document with its table of routes as it must be. */
export function withRouteTable(document: string, routes: readonly Route[]): string {
  const lines = document.split('\n')
  const first = lines.findIndex((line) => ROW.test(line))
  const end = lines.findIndex((line, at) => at > first && !ROW.test(line))
  const written = new Map<string, string>()
  for (const line of lines.slice(first, end)) {
    const [, method, path, rest] = ROW.exec(line) ?? []
    written.set(`${method} ${path}`, rest ?? '')
  }
  const places = [...written.keys()]
  const rows = routes.map((route) => ({ route, name: `${route.method} ${shortPath(route.url)}` }))
  // rows stay where they are; a new one follows the route that is registered before it
  let last = -1
  const placed = rows.map(({ route, name }, at) => {
    const known = places.indexOf(name)
    last = known < 0 ? last : known
    return { text: row(route, written.get(name)), place: last, at }
  })
  placed.sort((a, b) => a.place - b.place || a.at - b.at)
  return [...lines.slice(0, first), ...placed.map(({ text }) => text), ...lines.slice(end)].join('\n')
}

function row(route: Route, written = `${formatFields(route.body)} | … | 200`): string {
  return `| \`${route.method}\` | \`${shortPath(route.url)}\` | ${formatKey(route)} | ${written} |`.replaceAll(
    '|  |',
    '| |',
  )
}

function formatKey({ operation }: Route): string {
  if (operation === undefined) return 'none'
  const { access, level, ...more } = ACCESS[operation]
  if (level === 'env') return 'widest' in more ? `${LEVEL[access]}, environment` : LEVEL[access]
  return level === 'tenant' && access === 'no_access' ? LEVEL[access] : `${LEVEL[access]}, ${level}`
}

function formatFields(body: Schema | undefined): string {
  const shown = Object.entries(body?.properties ?? {}).filter(([, { later }]) => !later)
  return shown.map(([name]) => (body?.required?.includes(name) ? `**${name}**` : name)).join(', ')
}

/**
 * Rows that name in bold what the schema does not require, or the other way round. Those that refer to another row name
 * nothing.
 */
export function wrongFields(document: string, routes: readonly Route[]): string[] {
  const wrong: string[] = []
  for (const { method, url, body } of routes) {
    const written = document.split('\n').find((line) => line.startsWith(`| \`${method}\` | \`${shortPath(url)}\` |`))
    const input = ROW.exec(written ?? '')?.[3]?.split(' | ')[0] ?? ''
    if (body?.properties === undefined || /the same|as for/.test(input)) continue
    const bold = [...input.matchAll(/\*\*(\w+)\*\*/g)].map(([, name]) => name)
    const required = body.required ?? []
    if (String(bold.toSorted()) !== String(required.toSorted())) {
      wrong.push(`${method} ${shortPath(url)}: ${bold.join(', ')} for ${required.join(', ')}`)
    }
  }
  return wrong
}
