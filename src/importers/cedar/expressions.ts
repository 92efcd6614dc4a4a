// Conditions of Cedar in ours. An expression is true, false or an error, and a policy whose condition is an error does not
// count: so each one becomes two conditions, when it is true and when it is false, and neither is what is an error. They
// are made for one type of principals and resources, so the type of each attribute is known from the schema.
import {
  FALSE,
  isFalse,
  isList,
  isObject,
  isPresent,
  isScalar,
  joinAll,
  joinSome,
  type Node,
  not,
  type Remark,
  TRUE,
} from '../frame/bounds.ts'
import type { Entities } from './entities.ts'
import type { CedarAction, CedarType, Members, Uid } from './schema.ts'
import { isReadable, isSameType, isScalarType, MEMBER, RESERVED, toUids } from './values.ts'

export type Expression = Readonly<Record<string, unknown>>

export interface Truth {
  /** when it is true; of no more than that where there are remarks */
  readonly yes: Node
  /** when it is false */
  readonly no: Node
  readonly remarks: readonly Remark[]
}

/** A request that the schema allows. */
export interface Request {
  readonly principal: string
  readonly resource: string
  readonly action: CedarAction
}

/** What of the context is read, with values that decide. */
export type ContextReads = Map<string, { readonly type: CedarType; readonly values: Set<unknown> }>

const always: Truth = { yes: TRUE, no: FALSE, remarks: [] }
export const negate = ({ yes, no, remarks }: Truth): Truth => ({ yes: no, no: yes, remarks })
const totally = (yes: Node): Truth => ({ yes, no: not(yes), remarks: [] })
const constant = (value: boolean): Truth => (value ? always : negate(always))

export function both(one: Truth, other: Truth): Truth {
  return {
    yes: joinAll([one.yes, other.yes]),
    no: joinSome([one.no, joinAll([one.yes, other.no])]),
    remarks: [...one.remarks, ...(isNever(one) ? [] : other.remarks)],
  }
}

/** Cedar does not look at the other side then. */
const isNever = ({ yes, remarks }: Truth): boolean => isFalse(yes) && remarks.length === 0

const unsaid = (reason: string): Truth => ({
  ...{ yes: FALSE, no: FALSE },
  remarks: [{ reason, nearest: 'an attribute of its own that says it, or a condition of a set (docs/conditions.md)' }],
})

interface Path {
  readonly path: string
  readonly type: CedarType
}
type Operand = Path | { readonly value: unknown; readonly type?: CedarType }

export class Expressions {
  constructor(
    readonly request: Request,
    readonly entities: Entities,
    readonly reads: ContextReads,
  ) {}

  read(expression: Expression): Truth {
    const [operator = ''] = Object.keys(expression)
    const of = expression[operator] as Readonly<Record<string, unknown>>
    const side = (name: string): Expression => of[name] as Expression
    switch (operator) {
      case 'Value':
        return typeof (of as unknown) === 'boolean'
          ? constant(of as unknown as boolean)
          : unsaid('it is not true or false')
      case '!':
        return negate(this.read(side('arg')))
      case '&&':
        return both(this.read(side('left')), this.read(side('right')))
      case '||':
        return negate(both(negate(this.read(side('left'))), negate(this.read(side('right')))))
      case 'if-then-else':
        return this.#readIf(this.read(side('if')), this.read(side('then')), this.read(side('else')))
      case '==':
        return this.#readEqual(side('left'), side('right'))
      case '!=':
        return negate(this.#readEqual(side('left'), side('right')))
      case '<':
      case '<=':
      case '>':
      case '>=':
        return this.#readOrder(operator, side('left'), side('right'))
      case 'in':
        return this.#readIn(side('left'), side('right'))
      case 'is':
        return this.#readIs(side('left'), String(of.entity_type), of.in as Expression | undefined)
      case 'has':
        return this.#readHas(side('left'), of.attr)
      case 'like':
        return this.#readLike(side('left'), of.pattern as readonly unknown[])
      case 'contains':
      case 'containsAll':
      case 'containsAny':
        return this.#readContains(operator, side('left'), side('right'))
      case 'isEmpty':
        return this.#onList(side('arg'), { array_subset: [] })
      case '.': {
        const found = this.#find(expression)
        if (!isPath(found) || found.type.kind !== 'Boolean') return unsaid('this attribute cannot be read')
        this.#note(found, true, false)
        return { yes: { [found.path]: { equals: true } }, no: { [found.path]: { equals: false } }, remarks: [] }
      }
      default:
        return unsaid(`\`${operator}\` has no equal`)
    }
  }

  #readIf(test: Truth, then: Truth, otherwise: Truth): Truth {
    return {
      yes: joinSome([joinAll([test.yes, then.yes]), joinAll([test.no, otherwise.yes])]),
      no: joinSome([joinAll([test.yes, then.no]), joinAll([test.no, otherwise.no])]),
      remarks: [
        ...test.remarks,
        ...(isNever(test) ? [] : then.remarks),
        ...(isNever(negate(test)) ? [] : otherwise.remarks),
      ],
    }
  }

  #readEqual(left: Expression, right: Expression): Truth {
    const [one, other] = [this.#find(left), this.#find(right)]
    if (one === undefined || other === undefined) return unsaid('one side of `==` has no equal')
    if (!isPath(one))
      return isPath(other) ? this.#compare(other, one, 'equals', 'not-equals') : unsaid('two constants are compared')
    return this.#compare(one, other, 'equals', 'not-equals')
  }

  #compare(left: Path, right: Operand, yes: string, no: string): Truth {
    if (!isScalarType(left.type)) return unsaid('sets and records are not compared as a whole')
    if (isPath(right)) {
      if (!isSameType(left.type, right.type)) return unsaid('values of two types are compared')
      const ref = { ref: right.path }
      this.#note(left)
      this.#note(right)
      return { yes: { [left.path]: { [yes]: ref } }, no: { [left.path]: { [no]: ref } }, remarks: [] }
    }
    const value = this.#toScalar(right, left.type)
    if (value === undefined) return unsaid('it is compared with a value of another type')
    this.#note(left, value)
    return { yes: { [left.path]: { [yes]: value } }, no: { [left.path]: { [no]: value } }, remarks: [] }
  }

  #readOrder(operator: '<' | '<=' | '>' | '>=', left: Expression, right: Expression): Truth {
    const [one, other] = [this.#find(left), this.#find(right)]
    if (one === undefined || other === undefined) return unsaid(`one side of \`${operator}\` has no equal`)
    const [yes, no, turned] = ORDERS[operator]
    if (isPath(one))
      return one.type.kind === 'Long'
        ? this.#compare(one, other, yes, no)
        : unsaid('only whole numbers have an order here')
    if (!isPath(other)) return unsaid('two constants are compared')
    const [other_, opposite] = ORDERS[turned]
    return other.type.kind === 'Long'
      ? this.#compare(other, one, other_, opposite)
      : unsaid('only whole numbers have an order here')
  }

  #readIn(left: Expression, right: Expression): Truth {
    const what = this.#find(left)
    if (!isPath(what)) return unsaid('one side of `in` has no equal')
    const group = this.#find(right)
    if (isPath(group)) return this.#readInAttribute(what, group)
    const uids = group === undefined ? undefined : toUids(group.value)
    if (uids === undefined) return unsaid('one side of `in` has no equal')
    if (what.path === 'user.key') return totally(joinSome(uids.map((uid) => this.principalIn(uid))))
    if (what.path === 'resource.key') return totally(joinSome(uids.map((uid) => this.resourceIn(uid))))
    return unsaid('whether an attribute is in a group is not known to conditions')
  }

  /** `principal in resource.readers`: one of these users; of groups conditions know nothing. */
  #readInAttribute(what: Path, group: Path): Truth {
    const member = group.type.kind === 'Set' ? group.type.of : group.type
    const isUsers = member.kind === 'Entity' && member.name === this.request.principal
    if (what.path !== 'user.key' || !isUsers || this.entities.hasMembers(this.request.principal))
      return unsaid('the groups of an attribute are not known to conditions')
    this.#note(group)
    if (group.type.kind === 'Entity') return this.#compare(what, group, 'equals', 'not-equals')
    const yes = { [group.path]: { array_contains: { ref: 'user.key' } } }
    return { yes, no: joinAll([isList(group.path), not(yes)]), remarks: [] }
  }

  #readIs(left: Expression, type: string, within: Expression | undefined): Truth {
    const what = this.#find(left)
    if (!isPath(what) || what.type.kind !== 'Entity') return unsaid('one side of `is` has no equal')
    const is = constant(what.type.name === type)
    return within === undefined ? is : both(is, this.#readIn(left, within))
  }

  #readHas(left: Expression, attr: unknown): Truth {
    const names = Array.isArray(attr) ? (attr as string[]) : [String(attr)]
    const around = this.#find(left)
    const found = names.reduce<Operand | undefined>((at, name) => this.#member(at, name), around)
    if (!isPath(around) || !isPath(found)) return unsaid('whether this attribute is there cannot be read')
    this.#note(found)
    const yes = isPresent(found.path)
    const isVariable = 'Var' in left
    return { yes, no: joinAll([...(isVariable ? [] : [isObject(around.path)]), not(yes)]), remarks: [] }
  }

  #readLike(left: Expression, pattern: readonly unknown[]): Truth {
    const what = this.#find(left)
    if (!isPath(what) || what.type.kind !== 'String') return unsaid('one side of `like` has no equal')
    const isWild = (each: unknown): boolean => each === 'Wildcard'
    const text = pattern.map((each) => (isWild(each) ? '' : (each as { readonly Literal: string }).Literal)).join('')
    const inner = pattern.slice(1, -1)
    const [start, end] = [isWild(pattern[0]), pattern.length > 1 && isWild(pattern.at(-1))]
    if (inner.some(isWild)) return unsaid('`like` with `*` between texts has no equal')
    const operator = start ? (end || pattern.length === 1 ? 'contains' : 'ends-with') : end ? 'starts-with' : 'equals'
    this.#note(what, text)
    const yes = { [what.path]: { [operator]: text } }
    return { yes, no: joinAll([{ [what.path]: { contains: '' } }, not(yes)]), remarks: [] }
  }

  #readContains(name: string, left: Expression, right: Expression): Truth {
    const [list, item] = [this.#find(left), this.#find(right)]
    if (list === undefined || item === undefined) return unsaid(`one side of \`${name}\` has no equal`)
    if (name === 'contains') {
      if (isPath(list)) {
        const of = list.type.kind === 'Set' ? list.type.of : undefined
        if (of === undefined || !isScalarType(of)) return unsaid('sets of sets or records have no equal')
        if (!isPath(item)) {
          const value = this.#toScalar(item, of)
          return value === undefined
            ? unsaid('it is compared with a value of another type')
            : this.#onList(left, { array_contains: value })
        }
        if (!isSameType(of, item.type)) return unsaid('values of two types are compared')
        const yes = { [list.path]: { array_contains: { ref: item.path } } }
        this.#note(list)
        this.#note(item)
        return { yes, no: joinAll([isList(list.path), isScalar(item.path), not(yes)]), remarks: [] }
      }
      const values = isPath(item) ? this.#toScalars(list, item.type) : undefined
      if (!isPath(item) || values === undefined || values.length === 0)
        return unsaid('`contains` of this set has no equal')
      for (const value of values) this.#note(item, value)
      const yes = { [item.path]: { in: values } }
      return { yes, no: joinAll([isScalar(item.path), not(yes)]), remarks: [] }
    }
    const [path, other, operator] = isPath(list)
      ? ([list, item, name === 'containsAll' ? 'array_superset' : 'array_intersect'] as const)
      : ([item, list, name === 'containsAll' ? 'array_subset' : 'array_intersect'] as const)
    const of = isPath(path) && path.type.kind === 'Set' ? path.type.of : undefined
    const values = of === undefined || isPath(other) ? undefined : this.#toScalars(other, of)
    if (values === undefined) return unsaid(`\`${name}\` of these sets has no equal`)
    return this.#onList(isPath(list) ? left : right, { [operator]: values })
  }

  #onList(expression: Expression, test: Node): Truth {
    const what = this.#find(expression)
    if (!isPath(what) || what.type.kind !== 'Set') return unsaid('this set cannot be read')
    this.#note(what, ...Object.values(test))
    const yes = { [what.path]: test }
    return { yes, no: joinAll([isList(what.path), not(yes)]), remarks: [] }
  }

  principalIn(uid: Uid): Node {
    const users = this.entities.listUsersIn(uid, this.request.principal)
    const roles = this.entities.listRolesIn(uid)
    return joinSome([
      users.length === 0 ? FALSE : { 'user.key': { in: users } },
      roles.length === 0 ? FALSE : { 'user.roles': { array_intersect: roles } },
    ])
  }

  resourceIn(uid: Uid): Node {
    const keys = this.entities.listKeysIn(uid, this.request.resource)
    return keys.length === 0 ? FALSE : { 'resource.key': keys.length === 1 ? { equals: keys[0] } : { in: keys } }
  }

  /** What an operand is: a path that conditions read, or a constant; undefined for anything else. */
  #find(expression: Expression): Operand | undefined {
    if ('Value' in expression) return { value: expression.Value }
    if ('Set' in expression) {
      const items = (expression.Set as readonly Expression[]).map((each) => this.#find(each))
      return items.some((item) => item === undefined || isPath(item))
        ? undefined
        : { value: items.map((item) => (item as { readonly value: unknown }).value) }
    }
    if ('neg' in expression) {
      const inside = this.#find((expression.neg as { readonly arg: Expression }).arg)
      return inside !== undefined && !isPath(inside) && typeof inside.value === 'number'
        ? { value: -inside.value }
        : undefined
    }
    if ('Var' in expression) {
      const { principal, resource, action } = this.request
      if (expression.Var === 'principal') return { path: 'user.key', type: { kind: 'Entity', name: principal } }
      if (expression.Var === 'resource') return { path: 'resource.key', type: { kind: 'Entity', name: resource } }
      return expression.Var === 'context'
        ? { path: 'context', type: { kind: 'Record', members: action.context } }
        : undefined
    }
    if (!('.' in expression)) return undefined
    const { left, attr } = expression['.'] as { readonly left: Expression; readonly attr: string }
    return this.#member(this.#find(left), attr)
  }

  #member(around: Operand | undefined, name: string): Operand | undefined {
    if (!isPath(around) || !MEMBER.test(name)) return undefined
    const [root = ''] = around.path.split('.')
    const isEntity = around.path === 'user.key' || around.path === 'resource.key'
    let members: Members | undefined
    if (isEntity && around.type.kind === 'Entity') members = this.entities.schema.entities.get(around.type.name)
    else if (around.type.kind === 'Record') members = around.type.members
    const type = members?.get(name)?.type
    if (type === undefined || !isReadable(type)) return undefined
    if ((isEntity || around.path === root) && RESERVED[root]?.has(name) === true) return undefined
    return { path: isEntity ? `${root}.${name}` : `${around.path}.${name}`, type }
  }

  #toScalar(operand: { readonly value: unknown }, type: CedarType): string | number | boolean | undefined {
    const { value } = operand
    if (type.kind === 'String') return typeof value === 'string' ? value : undefined
    if (type.kind === 'Boolean') return typeof value === 'boolean' ? value : undefined
    if (type.kind === 'Long') return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
    const [uid, ...more] = toUids(value) ?? []
    return type.kind === 'Entity' && uid?.type === type.name && more.length === 0 ? this.entities.toKey(uid) : undefined
  }

  #toScalars(operand: { readonly value: unknown }, type: CedarType): (string | number | boolean)[] | undefined {
    if (!Array.isArray(operand.value)) return undefined
    const values = operand.value.map((value: unknown) => this.#toScalar({ value }, type))
    return values.includes(undefined) ? undefined : (values as (string | number | boolean)[])
  }

  /** What the proof has to try in the context. */
  #note({ path, type }: Path, ...values: readonly unknown[]): void {
    if (!path.startsWith('context.')) return
    const known = this.reads.get(path) ?? { type, values: new Set() }
    this.reads.set(path, known)
    for (const value of values) known.values.add(value)
  }
}

const ORDERS = {
  '<': ['less-than', 'greater-than-equals', '>'],
  '<=': ['less-than-equals', 'greater-than', '>='],
  '>': ['greater-than', 'less-than-equals', '<'],
  '>=': ['greater-than-equals', 'less-than', '<='],
} as const

const isPath = (operand: Operand | undefined): operand is Path => operand !== undefined && 'path' in operand
