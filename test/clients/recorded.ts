// Notes which methods of the published client a test has called, and knows all that there are, so that none is
// forgotten.
import type { Permit } from 'permitio'

/** Helpers of the client's own classes: no call of the API. */
const HELPERS = new Set([
  'constructor',
  'setContextFromApiKey',
  'ensureAccessLevel',
  'ensureContext',
  'handleApiError',
  'getMethods',
  'clone',
  'waitForSync',
])

type Methods = Record<string, (...args: unknown[]) => unknown>

export class Recorder {
  readonly called = new Set<string>()
  /** every method of `permit.api` and of `permit.elements`, as `users.create` */
  readonly all: readonly string[]

  constructor(...permits: readonly Permit[]) {
    const all = new Set<string>()
    for (const { api, elements } of permits) {
      const parts = Object.entries(api).filter(([name, part]) => !name.startsWith('_') && isApi(part))
      for (const [name, part] of [...parts, ['elements', elements] as const, ['', api] as const]) {
        for (const method of listMethods(part)) {
          const full = name === '' ? method : `${name}.${method}`
          all.add(full)
          this.#watch(part as unknown as Methods, method, full)
        }
      }
    }
    this.all = [...all].sort()
  }

  #watch(part: Methods, method: string, name: string): void {
    const original = part[method]!
    part[method] = (...args) => {
      this.called.add(name)
      return original.apply(part, args)
    }
  }
}

/** The classes of the client, apart from its logger and from what was generated from the OpenAPI. */
const isApi = (part: unknown): boolean =>
  typeof part === 'object' && part !== null && 'ensureContext' in part && typeof part.ensureContext === 'function'

function listMethods(part: object): string[] {
  const names = new Set<string>()
  for (let level = Object.getPrototypeOf(part); level !== Object.prototype; level = Object.getPrototypeOf(level)) {
    for (const name of Object.getOwnPropertyNames(level)) {
      if (!HELPERS.has(name) && typeof Object.getOwnPropertyDescriptor(level, name)?.value === 'function')
        names.add(name)
    }
  }
  return [...names]
}
