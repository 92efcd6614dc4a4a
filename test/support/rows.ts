// Rows of an application, as the doors are asked about them that tell which rows are meant: filters, databases, pages.
import type { Json, JsonObject } from '../../src/model/objects.ts'
import { check } from '../reference/check.ts'
import type { Policy } from '../reference/policy.ts'
import type { Request } from '../reference/request.ts'

/** A row of an application, with its attributes and relations. */
export interface Row {
  readonly key: string | undefined
  readonly attributes: JsonObject
  readonly relations: Readonly<Record<string, readonly string[]>>
}

/** A row has `null` for every attribute that it does not have. */
export const rowAttribute = ({ attributes }: Row, name: string): Json =>
  Object.hasOwn(attributes, name) ? attributes[name]! : null

/** The question that the row makes: with its own value for every attribute of these names; marked, unless it is not. */
export function questionOfRow(
  asked: Request,
  tenant: string,
  row: Row,
  names: readonly string[],
  isRow = true,
): Request {
  return {
    ...asked,
    resource: {
      type: asked.resource.type,
      tenant,
      relations: row.relations,
      isRow,
      ...(row.key === undefined ? {} : { key: row.key }),
    },
    sent: { ...asked.sent, resource: Object.fromEntries(names.map((name) => [name, rowAttribute(row, name)])) },
  }
}

/** The definition of the question that the row makes. */
export const isRowAllowed = (
  policy: Policy,
  asked: Request,
  tenant: string,
  row: Row,
  names: readonly string[],
  isRow = true,
): boolean => check(policy, questionOfRow(asked, tenant, row, names, isRow))
