// The model as a whole: what it makes of a call, and every question that can be asked about what it holds.
import type { Request } from '../../reference/request.ts'
import { bulk } from './bulk.ts'
import type { Call, Handler, Outcome } from './call.ts'
import { KEYS } from './calls.ts'
import { facts } from './facts.ts'
import { instances } from './instances.ts'
import { parts } from './parts.ts'
import { schema } from './schema.ts'
import { sets } from './sets.ts'
import type { State } from './state.ts'

/** Every kind of call, `METHOD path` with `:` for what varies. */
export const KINDS: readonly string[] = Object.keys({ ...schema, ...parts, ...facts, ...instances, ...sets, ...bulk })

const HANDLERS = Object.entries({ ...schema, ...parts, ...facts, ...instances, ...sets, ...bulk }).map(
  ([name, handler]) => {
    const [method, path = ''] = name.split(' ')
    return { name, method, segments: path.split('/'), handler }
  },
)

/** The kind of a call, as KINDS names it. */
export const callKind = (call: Call): string => requireHandler(call).name

function requireHandler({ method, path }: Call) {
  const parts = path.split('/')
  const found = HANDLERS.find(
    (one) =>
      one.method === method &&
      one.segments.length === parts.length &&
      one.segments.every((segment, at) => segment === ':' || segment === parts[at]),
  )
  if (found === undefined) throw new Error(`the model has no handler for ${method} ${path}`)
  return found
}

/** What the model makes of a call. */
export function expected(state: State, call: Call): Outcome {
  const found = requireHandler(call)
  const { path, body } = call
  const parts = path.split('/')
  const params = parts.filter((_, at) => found.segments[at] === ':').map(decodeURIComponent)
  return state.keepingPlaces(() => (found.handler as Handler)(state, params, body as never))
}

/** Every question that the keys can form. */
export function* questions(): Generator<Request & { readonly user: string }> {
  for (const user of KEYS.users) {
    for (const action of KEYS.actions) {
      for (const type of KEYS.resources) {
        for (const tenant of [undefined, ...KEYS.tenants]) {
          for (const key of [undefined, ...KEYS.instances]) {
            yield { user, action, resource: { type, ...(tenant ? { tenant } : {}), ...(key ? { key } : {}) } }
          }
        }
      }
    }
  }
}
