// A resource instance, whose grants and attributes are those of a principal. assembly/abi.ts draws the record.
import { Instance } from '../../../assembly/abi.ts'
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { resourceKey } from './resource.ts'
import { symbolTable } from './symbol.ts'
import { eachPieceInOrder, eachPieceInTenant, inOrder } from './tables.ts'

/** `type:key` */
export const readInstanceKey = (kernel: Kernel, instance: number): string => kernel.key(instance, Instance.Key)
/** The key of an instance without its type. */
export function keyOfInstance(kernel: Kernel, instance: number): string {
  const key = readInstanceKey(kernel, instance)
  return key.slice(key.indexOf(':') + 1)
}
/** 0 when the instance is deleted. */
export const instanceTenant = (kernel: Kernel, instance: number): number => kernel.word(instance + Instance.Tenant)
export const instanceType = (kernel: Kernel, instance: number): number => kernel.word(instance + Instance.Type)

/** The tenant of a scope: the scope itself, or the tenant of the instance. */
export function tenantOfScope(kernel: Kernel, scope: number): number {
  return symbolTable(kernel, scope) === Table.Tenants ? scope : instanceTenant(kernel, scope)
}

/** The live instances of a type in key order, from behind a key (`type:key`) on. */
export function* instancesOfType(
  kernel: Kernel,
  type: number,
  after = `${resourceKey(kernel, type)}:`,
): Iterable<number> {
  for (const instance of inOrder(kernel, Table.Instances, after)) {
    if (instanceType(kernel, instance) !== type) return
    yield instance
  }
}

/** The same from behind a key (`type:key`) on, only those of a tenant. */
export function* instancesInTenant(
  kernel: Kernel,
  { type, tenant }: { readonly type: number; readonly tenant: number },
  after = `${resourceKey(kernel, type)}:`,
): Iterable<number> {
  for (const piece of eachPieceInTenant(kernel, tenant, after)) {
    for (const instance of piece) {
      if (instanceTenant(kernel, instance) !== tenant || instanceType(kernel, instance) !== type) return
      yield instance
    }
  }
}

/** The instances of a type in key order, in pieces, with dead ones and others in them: for loops that read very many. */
export function* piecesOfType(kernel: Kernel, type: number): Iterable<Uint32Array> {
  for (const piece of eachPieceInOrder(kernel, Table.Instances, `${resourceKey(kernel, type)}:`)) {
    yield piece
    const last = piece[piece.length - 1]!
    if (kernel.isLive(last) && instanceType(kernel, last) !== type) return
  }
}
