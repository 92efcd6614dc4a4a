// Conditions with other names of attributes and resource types, for `moved`. It follows the grammar of
// src/model/condition.ts and leaves everything else as it was written.

import { GROUPS, MATCHES, ROOTS } from '../../model/condition.ts'
import { declaringType } from '../../model/condition-reads.ts'
import type { Json, JsonObject } from '../../model/objects.ts'

export interface ConditionNames {
  /** what a resource type is called now */
  resource(key: string): string
  /** what an attribute of a type is called now; `__user` and `__tenant` are types too */
  attribute(type: string, key: string): string
}

/** The conditions of a set over resources of `resource`, by their key so far. */
export function renamedConditions(conditions: JsonObject, resource: string | null, names: ConditionNames): JsonObject {
  return new Renaming(names, resource).condition(conditions) as JsonObject
}

const isObject = (json: Json): json is JsonObject => typeof json === 'object' && json !== null && !Array.isArray(json)

class Renaming {
  readonly #names: ConditionNames
  readonly #resource: string | null

  constructor(names: ConditionNames, resource: string | null) {
    this.#names = names
    this.#resource = resource
  }

  condition(json: Json): Json {
    return mapped(json, (name, value) => {
      if (GROUPS.has(name) || name === 'not') return [name, each(value, (item) => this.condition(item))]
      return [this.#path(name), this.#test(value)]
    })
  }

  #test(json: Json): Json {
    return mapped(json, (name, value) => {
      if (GROUPS.has(name) || name === 'not') return [name, each(value, (item) => this.#test(item))]
      if (MATCHES.has(name)) return [name, this.#match(value)]
      return [name, isObject(value) ? this.#reference(value) : value]
    })
  }

  /** `{ ref: attribute }` on the right side of an operator. */
  #reference(json: JsonObject): Json {
    return mapped(json, (name, value) => [
      name,
      name === 'ref' && typeof value === 'string' ? this.#path(value) : value,
    ])
  }

  #match(json: Json): Json {
    const foreign = isObject(json) && typeof json.fk_resource_type === 'string' ? json.fk_resource_type : undefined
    return mapped(json, (name, value) => {
      if (name === 'fk_resource_type' && foreign !== undefined) return [name, this.#names.resource(foreign)]
      if (name !== 'match') return [name, value]
      const members = mapped(value, (member, test) => {
        const path = foreign === undefined ? member : this.#first(foreign, member)
        return [path, this.#test(test)]
      })
      return [name, members]
    })
  }

  #path(text: string): string {
    const dot = text.indexOf('.')
    const root = dot < 0 ? undefined : ROOTS.get(text.slice(0, dot))
    const type = root && declaringType({ root, names: [] }, this.#resource)
    return type === undefined ? text : `${text.slice(0, dot + 1)}${this.#first(type, text.slice(dot + 1))}`
  }

  /** `names` with the first of them as it is called now. */
  #first(type: string, names: string): string {
    const [first = '', ...rest] = names.split('.')
    return [this.#names.attribute(type, first), ...rest].join('.')
  }
}

const each = (json: Json, rename: (item: Json) => Json): Json =>
  Array.isArray(json) ? json.map((item: Json) => rename(item)) : rename(json)

function mapped(json: Json, rename: (name: string, value: Json) => readonly [string, Json]): Json {
  if (!isObject(json)) return json
  const entries = Object.entries(json).map(([name, value]) => rename(name, value))
  return Object.fromEntries(entries)
}
