// The attributes that conditions may read, with their declared types, and those of them that a text is about.

import { queryOptions } from '@tanstack/react-query'
import { type AttributeType, ROOTS } from 'zerohop/conditions'
import { foldCase } from 'zerohop/fold-case'
import type { Suggest, Suggestion } from '../../api/suggestions.ts'
import { GENERATED } from './operands.ts'

type Types = Readonly<Record<string, AttributeType>>

export interface AttributeTypes {
  readonly user: Types
  readonly tenant: Types
  /** none in a user set, which says nothing about the type of the resource */
  readonly resource: Types
}

/** The declared type of an attribute; undefined for one that is not declared, or a member inside of one. */
export function findType(types: AttributeTypes, attribute: string): AttributeType | undefined {
  const [written = '', name = '', ...inside] = attribute.split('.')
  const root = ROOTS.get(written)
  if (inside.length > 0) return undefined
  if (root === 'user' || root === 'tenant' || root === 'resource')
    return GENERATED[`${root}.${name}`] ?? types[root][name]
  return GENERATED[`${root}.${name}`]
}

/** Suggestions of a field in which an attribute is typed. */
export function suggestAttributes(types: AttributeTypes): Suggest {
  const all = [
    ...Object.entries(GENERATED),
    ...(['user', 'resource', 'tenant'] as const).flatMap((root) =>
      Object.entries(types[root]).map(([name, type]) => [`${root}.${name}`, type] as const),
    ),
  ].map(([key, about]) => ({ key, about }))
  return (search) =>
    queryOptions({
      queryKey: ['suggestions', 'attributes', JSON.stringify(types), search],
      queryFn: async (): Promise<readonly Suggestion[]> =>
        all.filter(({ key }) => foldCase(key).includes(foldCase(search))),
    })
}

/** With the root that was left out: `department` in a user set is `user.department`. */
export function completed(types: AttributeTypes, subject: 'user' | 'resource', typed: string): string {
  const name = typed.trim()
  const [first = ''] = name.split('.')
  const isRoot = ROOTS.has(first) || name === ''
  const isOwn = !name.includes('.') || Object.hasOwn(types[subject], first)
  return !isRoot && isOwn ? `${subject}.${name}` : name
}

/** What is wrong with the name of an attribute; undefined when it can be read. */
export function findProblem(attribute: string, subject: 'user' | 'resource'): string | undefined {
  const [root = '', name = ''] = attribute.trim().split('.')
  if (!ROOTS.has(root))
    return `Attributes begin with user., resource., tenant. or context.: did you mean ${subject}.${attribute.trim()}?`
  return name === '' ? `Name the attribute, such as ${root}.department` : undefined
}
