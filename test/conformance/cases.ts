// Reads the case files. The schema (for editors and for the test beside this file) is case.schema.json; what a case means is docs/semantics.md.
import { readdirSync, readFileSync } from 'node:fs'
import type { Request } from '../reference/check.ts'
import type { Code } from '../reference/explain.ts'
import type { Operation } from '../support/world.ts'

type Resource = string | Request['resource']
type Row<Expected> = readonly [user: string, action: string, resource: Resource, expected: Expected]

export interface Step {
  readonly write?: readonly Operation[]
  readonly checks?: readonly Row<boolean>[]
  readonly explains?: readonly Row<Code>[]
  readonly permissions?: readonly (readonly [
    user: string,
    (readonly [tenant: string, roles: string[], permissions: string[]])[],
  ])[]
}

export interface Case {
  readonly rule: string
  readonly says: string
  readonly steps: readonly Step[]
}

export interface NamedCase extends Case {
  readonly name: string
}

const FOLDER = new URL('./cases/', import.meta.url)

export function readCases(): NamedCase[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'))
  return files.sort().map((file) => ({ name: file.slice(0, -'.json'.length), ...(expand(readCase(file)) as Case) }))
}

export function readCase(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'))
}

/** `type` or `type:key` become their parts. */
export function resourceOf(resource: Resource): Request['resource'] {
  if (typeof resource !== 'string') return resource
  const colon = resource.indexOf(':')
  return colon < 0 ? { type: resource } : { type: resource.slice(0, colon), key: resource.slice(colon + 1) }
}

export const requestOf = ([user, action, resource]: Row<unknown>): Request => ({
  user,
  action,
  resource: resourceOf(resource),
})

/** Writes out `{for, each}` and `{text, times}`. */
export function expand(value: unknown): unknown {
  if (Array.isArray(value)) return value.flatMap((item) => (isLoop(item) ? copies(item) : [expand(item)]))
  if (typeof value !== 'object' || value === null) return value
  if ('times' in value && 'text' in value) return String(value.text).repeat(Number(value.times))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, expand(member)]))
}

interface Loop {
  readonly for: number
  readonly each: unknown
}

const isLoop = (item: unknown): item is Loop =>
  typeof item === 'object' && item !== null && 'for' in item && 'each' in item

function copies(loop: Loop): unknown[] {
  const text = JSON.stringify(loop.each)
  return Array.from({ length: loop.for }, (_, index) => expand(JSON.parse(text.replaceAll('#', String(index)))))
}
