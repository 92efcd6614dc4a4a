// Compiles a tree of conditions to a program: a flat list of steps, each with the next step for true and for false.
// `not` has no step: it swaps the two. assembly/limits.ts says what each operation means, assembly/decide/conditions.ts
// runs them.
import { FOREIGN, Op, RIGHT_PATH, Source } from '../../../assembly/limits.ts'
import {
  type AttributePath,
  type Condition,
  OPERATORS,
  type Operator,
  type Root,
  type Term,
  type Test,
} from '../../model/condition.ts'
import type { Json } from '../../model/objects.ts'

/** The path that a step reads: its source and its key. */
export interface PathRef {
  readonly source: Source
  /** `root.name.name` */
  readonly key: string
}

export interface ProgramStep {
  readonly op: Op
  readonly flags: number
  readonly left: PathRef | undefined
  /** a path, or the number of a constant */
  readonly right: PathRef | number
  readonly whenTrue: number
  readonly whenFalse: number
}

export interface ConditionProgram {
  readonly steps: readonly ProgramStep[]
  readonly constants: readonly Json[]
}

/** A position among the steps, known once it is reached. */
interface Label {
  at: number
}

type Draft = Omit<ProgramStep, 'whenTrue' | 'whenFalse'> & { readonly yes: Label; readonly no: Label }

const MATCHES = { object: Op.MatchObject, any: Op.MatchAny, all: Op.MatchAll } as const

/** Compiles the conditions. */
export function compile(condition: Condition): ConditionProgram {
  return new Compiler().program(condition)
}

class Compiler {
  readonly #drafts: Draft[] = []
  readonly #constants: Json[] = []

  program(condition: Condition): ConditionProgram {
    const yes = label()
    const no = label()
    this.#condition(condition, yes, no)
    this.#end(Op.True, yes)
    this.#end(Op.False, no)
    const steps = this.#drafts.map(({ yes, no, ...step }) => ({ ...step, whenTrue: yes.at, whenFalse: no.at }))
    return { steps, constants: this.#constants }
  }

  #condition(condition: Condition, yes: Label, no: Label): void {
    switch (condition.kind) {
      case 'all':
        this.#every(condition.items, yes, (item, next) => this.#condition(item, next, no))
        return
      case 'any':
        this.#every(condition.items, no, (item, next) => this.#condition(item, yes, next))
        return
      case 'not':
        this.#condition(condition.item, no, yes)
        return
      case 'operand':
        this.#test(condition.test, toPathRef(condition.left), yes, no)
    }
  }

  #test(test: Test, left: PathRef, yes: Label, no: Label): void {
    switch (test.kind) {
      case 'all':
        this.#every(test.tests, yes, (each, next) => this.#test(each, left, next, no))
        return
      case 'any': {
        const values = findEqualsValues(test.tests)
        if (values !== undefined) this.#compare('in', left, { kind: 'value', value: values }, yes, no)
        else this.#every(test.tests, no, (each, next) => this.#test(each, left, yes, next))
        return
      }
      case 'not':
        this.#test(test.test, left, no, yes)
        return
      case 'compare':
        this.#compare(test.operator, left, test.right, yes, no)
        return
      case 'match':
        this.#match(test, left, yes, no)
    }
  }

  /** Emits the items in order: each continues with the next, the last one with `end`. */
  #every<T>(items: readonly T[], end: Label, emit: (item: T, next: Label) => void): void {
    if (items.length === 0) this.#step({ op: Op.Always, flags: 0, left: undefined, right: 0, yes: end, no: end })
    for (const [index, item] of items.entries()) {
      if (index === items.length - 1) emit(item, end)
      else {
        const next = label()
        emit(item, next)
        next.at = this.#drafts.length
      }
    }
  }

  #compare(operator: Operator, left: PathRef, right: Term, yes: Label, no: Label): void {
    const op = Op[OPERATORS[operator].op]
    if (right.kind === 'ref') this.#step({ op, flags: RIGHT_PATH, left, right: toPathRef(right.path), yes, no })
    else this.#step({ op, flags: 0, left, right: this.#constant(right.value), yes, no })
  }

  #match({ of, members, foreignType }: Test & { kind: 'match' }, left: PathRef, yes: Label, no: Label): void {
    const foreign =
      foreignType === null ? { flags: 0, right: 0 } : { flags: FOREIGN, right: this.#constant(foreignType) }
    this.#step({ op: MATCHES[of], ...foreign, left, yes, no })
    const passes = label()
    const fails = label()
    this.#every(members, passes, ({ names, test }, next) => {
      this.#test(test, { source: Source.Item, key: `item.${names.join('.')}` }, next, fails)
    })
    this.#end(Op.ItemTrue, passes)
    this.#end(Op.ItemFalse, fails)
  }

  #constant(value: Json): number {
    return this.#constants.push(value) - 1
  }

  #step(draft: Draft): void {
    this.#drafts.push(draft)
  }

  #end(op: Op, reached: Label): void {
    reached.at = this.#drafts.length
    this.#step({ op, flags: 0, left: undefined, right: 0, yes: reached, no: reached })
  }
}

const label = (): Label => ({ at: -1 })

/** The values when all tests are "equals this value": then one step looks all of them up. */
function findEqualsValues(tests: readonly Test[]): Json[] | undefined {
  const values: Json[] = []
  for (const test of tests) {
    if (test.kind !== 'compare' || test.operator !== 'equals' || test.right.kind !== 'value') return undefined
    values.push(test.right.value)
  }
  return values.length > 1 ? values : undefined
}

const GENERATED: ReadonlyMap<string, Source> = new Map([
  ['user.key', Source.UserKey],
  ['user.roles', Source.UserRoles],
  ['user.tenants', Source.UserTenants],
  ['resource.type', Source.ResourceType],
  ['resource.key', Source.ResourceKey],
  ['resource.tenant', Source.ResourceTenant],
  ['tenant.key', Source.TenantKey],
])
const SOURCES: Readonly<Record<Root, Source>> = {
  user: Source.User,
  resource: Source.Resource,
  tenant: Source.Tenant,
  context: Source.Context,
  action: Source.Action,
}

export function toPathRef({ root, names }: AttributePath): PathRef {
  const key = `${root}.${names.join('.')}`
  if (key === 'context.now') return { source: Source.Now, key }
  return { source: GENERATED.get(`${root}.${names[0]}`) ?? SOURCES[root], key }
}
