// Which names policy files define, also in objects whose form is wrong: a reference to one of these is not an error of
// its own, because the error is said where the object stands.
import { IN_FILES, LISTED_KINDS, PART_KINDS } from '../rules/kinds-in-files.ts'

type Members = Readonly<Record<string, unknown>>

const KINDS_OF_LISTS = new Map<string, string>(LISTED_KINDS.map((kind) => [IN_FILES[kind].section, kind]))
const KINDS_OF_PARTS = new Map<string, string>(PART_KINDS.map((kind) => [IN_FILES[kind].section, kind]))

/** The names, by kind. Parts of resource types are called `resource/part`. */
export class Defined {
  readonly #names = new Map<string, Set<string>>()
  readonly #fields = new Set<string>()

  /** Takes in what a file says, of any form. */
  add(file: unknown): void {
    for (const [field, value] of listMembers(file)) {
      this.#fields.add(field)
      const kind = KINDS_OF_LISTS.get(field)
      for (const item of Array.isArray(value) ? value : []) {
        const { key, resource } = Object.fromEntries(listMembers(item)) as Members
        if (kind !== undefined) this.#name(kind, key)
        if (field === 'resource_instances') this.#name('resource_instance', `${resource}:${key}`)
        if (field === 'resources') this.#parts(String(key), item)
      }
      if (field === 'user_attributes') for (const [key] of listMembers(value)) this.#name('attribute', `__user/${key}`)
      if (field === 'tenant_attributes')
        for (const [key] of listMembers(value)) this.#name('attribute', `__tenant/${key}`)
    }
  }

  /** The names of a kind, in the order of the files. */
  names(kind: string): readonly string[] {
    return [...(this.#names.get(kind) ?? [])]
  }

  /** The names of the parts of a resource type. */
  parts(kind: string, resource: string): readonly string[] {
    const before = `${resource}/`
    return this.names(kind).flatMap((name) => (name.startsWith(before) ? [name.slice(before.length)] : []))
  }

  has(kind: string, name: string): boolean {
    return this.#names.get(kind)?.has(name) === true
  }

  /** Whether a file has the field, be it empty. */
  hasField(field: string): boolean {
    return this.#fields.has(field)
  }

  #parts(resource: string, item: unknown): void {
    for (const [field, parts] of listMembers(item)) {
      const kind = KINDS_OF_PARTS.get(field)
      if (kind !== undefined) for (const [key] of listMembers(parts)) this.#name(kind, `${resource}/${key}`)
    }
  }

  #name(kind: string, name: unknown): void {
    if (typeof name !== 'string') return
    const names = this.#names.get(kind) ?? new Set<string>()
    this.#names.set(kind, names.add(name))
  }
}

function listMembers(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}
