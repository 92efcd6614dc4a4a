// The graph of types: which relations and derivations it has, which part of a large one is shown, and where it stands.
import { describe, expect, it } from 'vitest'
import { curve, place, TYPE_HEIGHT, TYPE_WIDTH } from '../../../console/src/pages/resources/graph/layout.ts'
import {
  derivedText,
  makeGraph,
  RELATIONS_MAX,
  shownPart,
  TYPES_MAX,
} from '../../../console/src/pages/resources/type-graph.ts'

type Source = Parameters<typeof makeGraph>[0][number]

/** A type with relations, each from the type that is named, and derivations `to: from` over the first of them. */
function type(key: string, relations: Record<string, string> = {}, derived: Record<string, string> = {}): Source {
  const [relation = '', on = ''] = Object.entries(relations)[0] ?? []
  const when = { no_direct_roles_on_object: false }
  const roles = Object.entries(derived).map(([to, role]) => {
    const rule = { role, on_resource: on, linked_by_relation: relation, when }
    return [to, { granted_to: { id: '0', when, users_with_role: [rule] } }]
  })
  return {
    key,
    name: key,
    actions: {},
    roles: Object.fromEntries(roles),
    relations: Object.fromEntries(Object.entries(relations).map(([name, resource]) => [name, { resource }])),
  } as Source
}
/** Each the parent of the next: t0, t1, … */
const chain = (length: number): readonly Source[] =>
  Array.from({ length }, (_, at) => type(`t${at}`, at === 0 ? {} : { parent: `t${at - 1}` }))
const keys = ({ types }: ReturnType<typeof shownPart>) => types.map(({ key }) => key)

describe('the graph of types', () => {
  it('has a relation from the type that it comes from, with the roles that are derived over it', () => {
    const graph = makeGraph([
      type('folder', { parent: 'folder' }, { viewer: 'viewer' }),
      type('memo', { parent: 'folder' }),
    ])
    expect(graph.relations).toEqual([
      {
        id: 'folder/parent',
        subject: 'folder',
        relation: 'parent',
        object: 'folder',
        derived: [{ from: 'viewer', to: 'viewer', isOnlyWithoutOwn: false }],
      },
      { id: 'memo/parent', subject: 'folder', relation: 'parent', object: 'memo', derived: [] },
    ])
    const [own] = graph.relations
    expect(derivedText(own!, own!.derived[0]!)).toBe('viewer on folder gives viewer on folder')
  })

  it('says where a derivation does not count, by the rule or by the role', () => {
    const memo = type('memo', { parent: 'folder' }, { reader: 'owner' })
    memo.roles.reader!.granted_to!.when = { no_direct_roles_on_object: true }
    const [relation] = makeGraph([memo]).relations
    expect(derivedText(relation!, relation!.derived[0]!)).toBe(
      'owner on folder gives reader on memo, unless the user has a direct role on the memo',
    )
  })

  it('shows types with relations before others, and no more than can be read', () => {
    const alone = Array.from({ length: TYPES_MAX }, (_, at) => type(`alone${at}`))
    const shown = shownPart(makeGraph([...alone, ...chain(3)]), undefined)
    expect(keys(shown)).toHaveLength(TYPES_MAX)
    expect(keys(shown)).toEqual(expect.arrayContaining(['t0', 't1', 't2']))
    expect(shown.moreTypes).toBe(3)
    const many = Object.fromEntries(Array.from({ length: RELATIONS_MAX + 5 }, (_, at) => [`r${at}`, 'folder']))
    const wide = shownPart(makeGraph([type('folder'), type('memo', many)]), undefined)
    expect([wide.relations.length, wide.moreRelations]).toEqual([RELATIONS_MAX, 5])
  })

  it('shows what is near a type, against and along relations, and only that', () => {
    const graph = makeGraph([...chain(TYPES_MAX * 3), type('alone')])
    const near = keys(shownPart(graph, `t${TYPES_MAX}`))
    expect(near).toHaveLength(TYPES_MAX)
    expect(near).toEqual(expect.arrayContaining([`t${TYPES_MAX - 1}`, `t${TYPES_MAX + 1}`]))
    expect(near).not.toContain('t0')
    expect(keys(shownPart(graph, 'alone'))).toEqual(['alone'])
    expect(keys(shownPart(graph, 'none'))).toHaveLength(TYPES_MAX)
  })

  it('leaves out a relation whose type was not read', () => {
    expect(shownPart(makeGraph([type('memo', { parent: 'unread' })]), undefined).relations).toEqual([])
  })
})

describe('the drawing', () => {
  it('puts the type that a relation comes from above the other, and nothing on top of another', () => {
    const graph = shownPart(
      makeGraph([...chain(8), type('own', { parent: 'own' }), type('memo', { parent: 't0' })]),
      undefined,
    )
    const { types, relations, height } = place(graph)
    expect(types.get('t0')!.y + TYPE_HEIGHT).toBeLessThan(types.get('t1')!.y)
    const places = [...types.values()]
    for (const [at, one] of places.entries()) {
      for (const other of places.slice(at + 1)) {
        const isApart = Math.abs(one.x - other.x) >= TYPE_WIDTH || Math.abs(one.y - other.y) >= TYPE_HEIGHT
        expect({ one, other, isApart }).toEqual({ one, other, isApart: true })
      }
    }
    expect(height).toBeGreaterThan(8 * TYPE_HEIGHT)
    for (const { points } of relations) expect(curve(points)).toMatch(/^M [\d.-]+ [\d.-]+( [QL] .+)+$/)
  })

  it('does not become a row of types without relations, nor a wide tree', () => {
    const alone = Array.from({ length: 30 }, (_, at) => type(`alone${at}`))
    const fan = Array.from({ length: 20 }, (_, at) => type(`leaf${at}`, { parent: 'root' }))
    const { width, height } = place(shownPart(makeGraph([type('root'), ...fan, ...alone]), undefined))
    expect(width / height).toBeGreaterThan(0.5)
    expect(width / height).toBeLessThan(3)
  })

  it('names three derivations of a relation, and says how many more there are', () => {
    const derived = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((role) => [role, 'owner']))
    const graph = shownPart(makeGraph([type('folder'), type('memo', { parent: 'folder' }, derived)]), undefined)
    expect(place(graph).relations[0]!.lines).toEqual(['parent', 'owner → a', 'owner → b', 'owner → c', 'and 2 more'])
  })
})
