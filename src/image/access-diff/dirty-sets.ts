// Which condition sets of an image mean something else after a change: the changed ones, those whose parent is one of
// them, and those that read an attribute whose declared type changed or the instances of a type that changed.
import { Source, Table } from '../../../assembly/limits.ts'
import { objectAt, valueAt } from '../../kernel/decode.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import { typeInInstanceKey } from '../contents.ts'
import { readsOfSide } from '../decide/required-attributes.ts'
import { conditionSetKey, conditionSetProgram, eachChildOfSet } from '../records/condition-set.ts'
import { countSteps, isForeignMatch, programConstant, programStep, stepRight } from '../records/program.ts'
import { resourceAttributes } from '../records/resource.ts'
import { records } from '../records/tables.ts'
import type { Changed } from './changed.ts'
import type { Questions } from './questions.ts'
import { SIDES, type SideNumber } from './twins.ts'

/** What changed of types, for sets. */
export interface ChangedTypes {
  /** keys of types whose declared attributes differ */
  readonly declared: ReadonlySet<string>
  /** these, and keys of types whose instances changed */
  readonly followed: ReadonlySet<string>
}

export function changedTypes({ types, sides }: Questions, changed: Changed): ChangedTypes {
  const declared = new Set<string>()
  for (const key of changed.types) {
    const type = types.named(key)
    if (type === undefined) continue
    const [before, after] = SIDES.map((side) => {
      const id = types.id(side, type)
      const { kernel } = sides[side]
      const numbers = id === 0 ? undefined : objectAt(kernel, resourceAttributes(kernel, id))
      return JSON.stringify(Object.entries(numbers ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)))
    })
    if (/* canary: declared-attribute */ before !== after) declared.add(key)
  }
  return {
    declared,
    followed: new Set([...declared, /* canary: followed-instances */ ...[...changed.instances].map(typeInInstanceKey)]),
  }
}

/** Records of the sets of one image that may mean something else. */
export function dirtySets(
  { sides }: Questions,
  side: SideNumber,
  changed: Changed,
  { declared, followed }: ChangedTypes,
): Set<number> {
  const { kernel } = sides[side]
  const dirty = new Set<number>()
  const ofUsers = declared.has(USER_TYPE) ? 1 << Source.User : 0
  const mask = ofUsers | (declared.has(TENANT_TYPE) ? 1 << Source.Tenant : 0)
  for (const set of records(kernel, Table.Sets)) {
    const isChanged = changed.sets.has(conditionSetKey(kernel, set))
    const isRead = mask !== 0 && (readsOfSide(kernel, set) & mask) !== 0
    if (isChanged || isRead || (followed.size > 0 && follows(kernel, set, followed))) dirty.add(set)
  }
  for (const set of dirty) {
    for (const child of eachChildOfSet(kernel, set)) {
      /* canary: sets-below-a-parent */ dirty.add(child) // also walked
    }
  }
  return dirty
}

/** Whether the conditions of the set follow keys to instances of one of the types. */
function follows(kernel: Kernel, set: number, types: ReadonlySet<string>): boolean {
  const program = conditionSetProgram(kernel, set)
  const count = countSteps(kernel, program)
  for (let index = 0; index < count; index++) {
    const step = programStep(program, index)
    if (!isForeignMatch(kernel, step)) continue
    const cell = programConstant(kernel, program, stepRight(kernel, step))
    if (types.has(String(valueAt(kernel, cell)))) return true
  }
  return false
}
