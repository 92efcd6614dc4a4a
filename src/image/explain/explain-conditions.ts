// Why the conditions of a set are true or false for a check: which tests decide that, and the values that each
// compared. The kernel runs every test as a program of its own, written behind the encoded request attributes, and
// reads every value; nothing is decided here.

import { Verdict } from '../../../assembly/limits.ts'
import { objectAt, valueAt } from '../../kernel/decode.ts'
import { Encoder } from '../../kernel/encode.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import {
  type AttributePath,
  type Condition,
  MATCHES,
  OPERATORS,
  parseConditions,
  type Test,
} from '../../model/condition.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { parseInstant } from '../../model/instant.ts'
import { EXPLAIN_STEPS_MAX, EXPLAIN_TESTS_MAX } from '../../model/limits.ts'
import type { AttributeType, Json, JsonObject } from '../../model/objects.ts'
import { shorten } from '../../model/shorten.ts'
import { compile, toPathRef } from '../build/condition-program.ts'
import { declaredTypes, encodedSteps } from '../build/write-records.ts'
import { findPath } from '../look-up.ts'
import { tenantType, userType } from '../records/header.ts'
import { belongsTo } from '../records/member.ts'
import { permissionResource } from '../records/permission.ts'
import { resourceAttributes } from '../records/resource.ts'
import { atInstant } from '../records/times.ts'
import type { TestFound, TestReason } from './explanation.ts'

/** A check in ids; the request attributes end at `end` in the encoded area. */
export interface Asked {
  readonly user: number
  readonly tenant: number
  readonly permission: number
  readonly instance: number
  /** writes the relations that were sent; returns their bytes */
  readonly relate: () => number
  readonly end: number
}

type LeafTest = Extract<Test, { readonly kind: 'compare' | 'match' }>
interface Leaf {
  readonly kind: 'leaf'
  readonly left: AttributePath
  readonly test: LeafTest
  readonly path: readonly (string | number)[]
}
type Tree =
  | { readonly kind: 'all' | 'any'; readonly items: readonly Tree[] }
  | { readonly kind: 'not'; readonly item: Tree }
  | Leaf

interface Operand {
  /** undefined when it is missing or counts as missing */
  readonly value: Json | undefined
  /** the value when it is not of the declared type */
  readonly refused: Json | undefined
  readonly time: boolean
}

/** The work of one explanation, bounded. */
export class Work {
  #tests = EXPLAIN_TESTS_MAX
  #steps = EXPLAIN_STEPS_MAX

  get done(): boolean {
    return this.#tests <= 0 || this.#steps <= 0
  }

  test(): void {
    this.#tests--
  }

  steps(count: number): void {
    this.#steps -= count
  }
}

/** The tests of one set's conditions, each run when it is first asked for. */
export class Conditions {
  readonly #kernel: Kernel
  readonly #asked: Asked
  readonly #work: Work
  readonly #tree: Tree
  readonly #truths = new Map<Leaf, Verdict>()

  constructor(kernel: Kernel, asked: Asked, work: Work, json: Json) {
    this.#kernel = kernel
    this.#asked = asked
    this.#work = work
    const places = new Map<Test, readonly (string | number)[]>()
    try {
      this.#tree = toTree(parseConditions(json, [], places), places)
    } catch (cause) {
      // They were valid when they were stored.
      throw new ZerohopError('IMAGE_DAMAGED', { reason: 'it has malformed conditions' }, { cause })
    }
  }

  get hold(): boolean {
    return this.#holds(this.#tree)
  }

  /** The tests that decide the result of the conditions: changing the result takes a change of one of these. */
  causes(): TestFound[] {
    const found: TestFound[] = []
    this.#cause(this.#tree, found)
    return found
  }

  /** The tests under a `not` that are false only because their value is missing or ill-typed (D7). */
  negatedInVain(): TestFound[] {
    const found: TestFound[] = []
    for (const leaf of listNegated(this.#tree, false)) {
      if (this.#verdict(leaf) !== Verdict.Deny) continue
      const test = this.#found(leaf)
      if (test.reason !== 'not_met') found.push(test)
    }
    return found
  }

  #holds(tree: Tree): boolean {
    switch (tree.kind) {
      case 'leaf':
        return this.#verdict(tree) === Verdict.Allow
      case 'not':
        return !this.#holds(tree.item)
      case 'all':
        return tree.items.every((item) => this.#holds(item))
      case 'any':
        return tree.items.some((item) => this.#holds(item))
    }
  }

  #cause(tree: Tree, found: TestFound[]): void {
    if (tree.kind === 'leaf') found.push(this.#found(tree))
    else if (tree.kind === 'not') this.#cause(tree.item, found)
    else {
      const truth = this.#holds(tree)
      for (const item of tree.items) if (this.#holds(item) === truth) this.#cause(item, found)
    }
  }

  #verdict(leaf: Leaf): Verdict {
    const known = this.#truths.get(leaf)
    if (known !== undefined) return known
    const verdict = this.#run(leaf)
    this.#truths.set(leaf, verdict)
    return verdict
  }

  #run({ left, test }: Leaf): Verdict {
    this.#work.test()
    if (this.#work.done) return Verdict.Undecided
    const { user, tenant, permission, instance, end } = this.#asked
    const { steps, constants } = compile({ kind: 'operand', left, test })
    const encoder = new Encoder(this.#kernel)
    encoder.begin(end)
    try {
      const program = encoder.program(
        encodedSteps(steps, ({ key }) => this.#path(key)),
        constants,
      )
      const verdict = atInstant(
        this.#kernel.calls.decideProgram(user, tenant, permission, instance, encoder.end, program),
      )
      this.#work.steps(this.#kernel.calls.stepsOfSets())
      return verdict
    } catch (error) {
      if (isZerohopError(error, 'UNDECIDED')) return Verdict.Undecided // the request attributes leave no room
      throw error
    }
  }

  #path(key: string): number {
    return findPath(this.#kernel, key)
  }

  #operand(path: AttributePath): Operand {
    const { calls } = this.#kernel
    const { user, tenant, permission, instance, end } = this.#asked
    const { key } = toPathRef(path)
    const cell = atInstant(calls.operandCell(user, tenant, permission, instance, end, this.#path(key)))
    if (cell !== 0) {
      const time = calls.operandIsTime() === 1
      const value = valueAt(this.#kernel, cell)
      return { value: inStableOrder(key, value), refused: undefined, time }
    }
    const refused = calls.operandRefused()
    return { value: undefined, refused: refused === 0 ? undefined : valueAt(this.#kernel, refused), time: false }
  }

  #found(leaf: Leaf): TestFound {
    const { left, test, path } = leaf
    const one = this.#operand(left)
    const ref = test.kind === 'compare' && test.right.kind === 'ref' ? test.right.path : undefined
    const other = ref === undefined ? undefined : this.#operand(ref)
    const shown = findShownValue(one)
    const declared = one.refused === undefined ? undefined : this.#declared(left)
    const constant = test.kind === 'compare' && test.right.kind === 'value' ? test.right.value : undefined
    const refShown = findShownValue(other)
    return {
      path,
      attribute: formatPath(left),
      operator: test.kind === 'compare' ? test.operator : MATCH_NAMES[test.of],
      reason: this.#outside(determineReason(test, this.#verdict(leaf), one, other), left, ref),
      ...(shown === undefined ? {} : { value: shorten(shown) }),
      ...(declared === undefined ? {} : { declared }),
      ...(constant === undefined ? {} : { expected: shorten(constant) }),
      ...(ref === undefined ? {} : { ref: formatPath(ref) }),
      ...(refShown === undefined ? {} : { ref_value: shorten(refShown) }),
    }
  }

  /** An attribute of a tenant to which the user does not belong is missing for that, whatever is stored (D6). */
  #outside(reason: TestReason, left: AttributePath, ref: AttributePath | undefined): TestReason {
    if (reason === 'missing' && left.root === 'tenant' && !this.#belongs) return 'not_in_tenant'
    if (reason === 'ref_missing' && ref?.root === 'tenant' && !this.#belongs) return 'ref_not_in_tenant'
    return reason
  }

  get #belongs(): boolean {
    const { user, tenant } = this.#asked
    return belongsTo(this.#kernel, user, tenant)
  }

  #declared({ root, names }: AttributePath): AttributeType | undefined {
    const kernel = this.#kernel
    const type =
      root === 'user'
        ? userType(kernel)
        : root === 'tenant'
          ? tenantType(kernel)
          : permissionResource(kernel, kernel.calls.permissionRecord(this.#asked.permission))
    return declaredOn(kernel, type)[names[0]!]
  }
}

/** The declared attribute types of a resource type, by name. */
export function declaredOn(kernel: Kernel, type: number): Readonly<Record<string, AttributeType>> {
  const stored = type === 0 || !kernel.isLive(type) ? 0 : resourceAttributes(kernel, type)
  return declaredTypes(objectAt(kernel, stored) ?? ({} as JsonObject))
}

const MATCH_NAMES = Object.fromEntries([...MATCHES].map(([name, of]) => [of, name])) as Record<
  'object' | 'any' | 'all',
  string
>

const findShownValue = (operand: Operand | undefined): Json | undefined =>
  operand?.value === undefined ? operand?.refused : operand.value

const formatPath = ({ root, names }: AttributePath): string => [root, ...names].join('.')

/** The value of a path; keys of roles or tenants sorted and without duplicates: their order in an image is arbitrary. */
export function inStableOrder(path: string, value: Json): Json {
  const isKeys = path === 'user.roles' || path === 'user.tenants'
  return isKeys && Array.isArray(value) ? [...new Set(value as string[])].sort() : value
}

function toTree(condition: Condition, places: ReadonlyMap<Test, readonly (string | number)[]>): Tree {
  if (condition.kind === 'operand') return testTree(condition.left, condition.test, places)
  if (condition.kind === 'not') return { kind: 'not', item: toTree(condition.item, places) }
  return { kind: condition.kind, items: condition.items.map((item) => toTree(item, places)) }
}

function testTree(left: AttributePath, test: Test, places: ReadonlyMap<Test, readonly (string | number)[]>): Tree {
  if (test.kind === 'not') return { kind: 'not', item: testTree(left, test.test, places) }
  if (test.kind === 'compare' || test.kind === 'match')
    return { kind: 'leaf', left, test, path: places.get(test) ?? [] }
  return { kind: test.kind, items: test.tests.map((each) => testTree(left, each, places)) }
}

/** The tests under an odd number of `not`s. */
function* listNegated(tree: Tree, odd: boolean): Iterable<Leaf> {
  if (tree.kind === 'leaf') {
    if (odd) yield tree
  } else if (tree.kind === 'not') yield* listNegated(tree.item, !odd)
  else for (const item of tree.items) yield* listNegated(item, odd)
}

function determineReason(test: LeafTest, verdict: Verdict, left: Operand, right: Operand | undefined): TestReason {
  if (verdict === Verdict.Allow) return 'met'
  if (verdict === Verdict.Undecided) return 'undecided'
  if (left.value === undefined) return left.refused === undefined ? 'missing' : 'wrong_type'
  if (right !== undefined && right.value === undefined)
    return right.refused === undefined ? 'ref_missing' : 'ref_wrong_type'
  if (!takesLeft(test, left, right)) return 'wrong_type'
  return right !== undefined && !takesRight(test, left, right) ? 'ref_wrong_type' : 'not_met'
}

const isScalar = (value: Json | undefined): boolean => ['string', 'number', 'boolean'].includes(typeof value)
const isOrdered = (value: Json | undefined): boolean => typeof value === 'string' || typeof value === 'number'
const isObject = (value: Json | undefined): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether the operator accepts the value on its left (docs/conditions.md). */
function takesLeft(test: LeafTest, { value, time }: Operand, right: Operand | undefined): boolean {
  if (test.kind === 'match') {
    if (test.of !== 'object') return Array.isArray(value)
    return test.foreignType === null ? isObject(value) : typeof value === 'string'
  }
  const { left: types, right: takes } = OPERATORS[test.operator]
  if (takes !== 'list' && (time || right?.time === true) && isCompared(test)) return parseInstant(value) !== undefined
  if (types.some((type) => type === 'array')) return Array.isArray(value)
  if (types.some((type) => type === 'bool')) return isScalar(value)
  if (types.length === 1) return typeof value === 'string'
  const other = test.right.kind === 'ref' ? right?.value : test.right.value
  const compared = Array.isArray(other) ? other[0] : other
  return isOrdered(value) && (!isOrdered(compared) || typeof value === typeof compared)
}

/** Whether the operator compares the two sides, rather than looking one up in the other. */
const isCompared = ({ operator }: Test & { kind: 'compare' }): boolean =>
  ['equality', 'order', 'range'].includes(OPERATORS[operator].shape)

/** Whether the operator accepts the attribute on its right. */
function takesRight(test: LeafTest, left: Operand, { value, time }: Operand): boolean {
  if (test.kind === 'match') return true
  const takes = OPERATORS[test.operator].right
  if ((time || left.time) && isCompared(test)) return parseInstant(value) !== undefined
  if (takes === 'list') return Array.isArray(value)
  if (takes === 'string') return typeof value === 'string'
  return takes === 'ordered' ? isOrdered(value) : isScalar(value)
}
