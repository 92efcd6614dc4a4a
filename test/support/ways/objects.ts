// The objects of a world as operations: those that delete them, and those that write them.
import type { PolicyKind, PolicyPut } from '../../../src/kinds/index.ts'
import type { Operation, OperationKind, World } from '../world.ts'

/** What deletes each object, by its kind; kinds without objects are not there. */
export function groupDeletes(world: World): Map<OperationKind, Operation[]> {
  const deletes = new Map<OperationKind, Operation[]>()
  for (const operation of [...putsOf(world)]) {
    const [, kind, object] = operation
    deletes.set(kind, [...(deletes.get(kind) ?? []), ['delete', kind, object] as Operation])
  }
  return deletes
}

/** What writes each object, those that others refer to first. */
export function* putsOf(world: World): Iterable<Operation> {
  for (const relation of world.relations.values()) yield ['put', 'relation', relation]
  for (const change of world.contents()) yield toOperation(change as PolicyPut)
}

/** Facts, in an order in which management takes them. */
const FACTS: readonly PolicyKind[] = [
  'tenant',
  'tenant_role',
  'user',
  'membership',
  'resource_instance',
  'relationship_tuple',
  'role_assignment',
]

/** What writes the facts of a world, when its schema is there. */
export const listFacts = (world: World): Operation[] =>
  FACTS.flatMap((kind) =>
    world
      .contents()
      .filter((change) => change.kind === kind)
      .map((change) => toOperation(change as PolicyPut)),
  )

function toOperation({ kind, key, value }: PolicyPut): Operation {
  if (kind === 'resource_instance') {
    const [resource, instance] = [key.slice(0, key.indexOf(':')), key.slice(key.indexOf(':') + 1)]
    return ['put', kind, { resource, instance, ...value }]
  }
  return ['put', kind, NAMED_BY_KEY.includes(kind) ? { key, ...value } : value] as Operation
}

const NAMED_BY_KEY: readonly PolicyKind[] = ['resource', 'role', 'user', 'tenant', 'condition_set']
