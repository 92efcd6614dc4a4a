// The mark of a row (D2: which tenant): `toResource` puts it on what it makes of a row that names its tenant, and checks
// ask for it. A mark is on an object, never in it: a copy has none, and nothing that was read from JSON has one.

/** The marked objects: one set for all copies of this file in a process, such as those of ESM and of CommonJS. */
const marked = shared()

function shared(): WeakSet<object> {
  const all = globalThis as { [name: symbol]: WeakSet<object> | undefined }
  const name = Symbol.for('zerohop.rows')
  const rows = all[name] ?? new WeakSet<object>()
  all[name] = rows
  return rows
}

/** Marks a resource as a row whose own tenant decides. It is frozen, so that it stays what was marked. */
export function markRow<T extends object>(resource: T): T {
  marked.add(Object.freeze(resource))
  return resource
}

/** Whether it is a marked row itself, and no copy of one. */
export function isMarkedRow(resource: unknown): boolean {
  return typeof resource === 'object' && resource !== null && marked.has(resource)
}
