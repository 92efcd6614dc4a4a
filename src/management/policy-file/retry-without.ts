// Finds everything that a use case has against one object, although it throws the first trouble only: the part in
// question is left out, and the use case runs again. Nothing of this is ever written.
import { isZerohopError, type ZerohopError } from '../../model/errors.ts'
import { POLICY_RETRIES_MAX } from '../../model/limits.ts'
import type { Path } from '../rules/fields.ts'

type Members = Readonly<Record<string, unknown>>

/**
 * Runs the use case on the object, and again without each part that is refused. `refused` gets every error and the
 * path of the part in the object as it was given.
 * @param below how many members of the path of an error lead to the object
 * @throws what is not a ZerohopError
 */
export function retryWithout<I>(
  input: I,
  below: number,
  run: (input: I) => void,
  refused: (error: ZerohopError, path: Path) => void,
): void {
  const gone = new Map<string, number[]>()
  let left: unknown = input
  for (let runs = 0; runs < POLICY_RETRIES_MAX; runs++) {
    try {
      run(left as I)
      return
    } catch (error) {
      if (!isZerohopError(error)) throw error
      const path = (error.path ?? []).slice(below)
      refused(error, original(path, gone))
      const part = removable(left, path)
      if (part === undefined) return
      left = without(left, part)
      const [list, at] = [JSON.stringify(part.slice(0, -1)), part.at(-1)]
      if (typeof at === 'number') gone.set(list, [...(gone.get(list) ?? []), at])
    }
  }
}

/** What an object can be without; conditions can be empty. */
const OPTIONAL: ReadonlySet<string> = new Set([
  'name',
  'description',
  'urn',
  'type_attributes',
  'permissions',
  'extends',
  'granted_to',
  'requestable',
  'attributes',
  'actions',
  'email',
  'first_name',
  'last_name',
  'conditions',
  'parent',
])

/** The part of the object that an error is about and that the object can be without, if any. */
function removable(input: unknown, path: Path): Path | undefined {
  const field = path[0] === 'parent_id' ? 'parent' : String(path[0])
  if (!OPTIONAL.has(field)) return undefined
  const end = field === 'conditions' ? 1 : path.findLastIndex((segment) => typeof segment === 'number') + 1
  const part = [field, ...path.slice(1, Math.max(1, end))]
  return valueAt(input, part) === undefined || isEmpty(valueAt(input, part)) ? undefined : part
}

/** The path before parts were removed: `gone` has the removed places of each list, in the order of removal. */
function original(path: Path, gone: ReadonlyMap<string, readonly number[]>): Path {
  return path.map((segment, depth) => {
    if (typeof segment === 'string') return segment
    const removed = gone.get(JSON.stringify(path.slice(0, depth))) ?? []
    return removed.reduceRight((at, place) => (place <= at ? at + 1 : at), segment)
  })
}

function without(value: unknown, [first, ...rest]: Path): unknown {
  if (Array.isArray(value))
    return rest.length === 0
      ? value.filter((_, at) => at !== first)
      : value.map((item: unknown, at) => (at === first ? without(item, rest) : item))
  const members = Object.entries(value as Members).map(([name, inside]) => [
    name,
    name !== first ? inside : rest.length > 0 ? without(inside, rest) : name === 'conditions' ? {} : undefined,
  ])
  return Object.fromEntries(members)
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inside, segment) =>
      typeof inside === 'object' && inside !== null && Object.hasOwn(inside, segment)
        ? (inside as Members)[segment]
        : undefined,
    value,
  )
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
