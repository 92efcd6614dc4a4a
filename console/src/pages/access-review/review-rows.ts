// Lines of an access review as rows of a table: what a user has in one place by one source is one row.
import type { components } from 'zerohop/client'

export type AccessLine = components['schemas']['AccessLine']

export interface ReviewRow {
  readonly key: string
  /** the first of its lines; in all others only the action, and of a whole type the resource, are others */
  readonly line: AccessLine
  readonly lines: readonly AccessLine[]
}

export function toRows(lines: readonly AccessLine[]): readonly ReviewRow[] {
  const rows = new Map<string, AccessLine[]>()
  for (const line of lines) {
    const { action: _, resource, last_used: __, unused: ___, unknown: ____, ...others } = line
    const key = JSON.stringify(line.resource_instance === null ? others : { resource, ...others })
    const row = rows.get(key)
    if (row === undefined) rows.set(key, [line])
    else row.push(line)
  }
  return [...rows].map(([key, own]) => ({ key, line: own[0]!, lines: own }))
}

/** By what a line has its access. */
export function sourceText({ source, derived }: Pick<AccessLine, 'source' | 'derived'>): string {
  if (source === null) return ''
  const { role, user_set, resource_set } = source
  if (role) return derived ? `${role}, via relations` : role
  return `${user_set ?? ''} × ${resource_set ?? ''}`
}

/** The newest use of the lines of a row; undefined when none is known. */
export function findLastUse(lines: readonly AccessLine[]): string | undefined {
  return lines
    .flatMap(({ last_used: at }) => at ?? [])
    .sort()
    .at(-1)
}
