// Fields of a role and of the edges between roles. assembly/abi.ts draws the records.
import { Edge, Role } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

export const edgeChild = (kernel: Kernel, edge: number): number => kernel.word(edge + Edge.Child)
export const edgeParent = (kernel: Kernel, edge: number): number => kernel.word(edge + Edge.Parent)
/** The first edge to a role that extends it, or 0. */
export const roleChildren = (kernel: Kernel, role: number): number => kernel.word(role + Role.Children)
/** RULE_NO_DIRECT for all rules of the role, or 0. */
export const roleFlags = (kernel: Kernel, role: number): number => kernel.word(role + Role.Flags)
/** The first edge to a role that it extends, or 0. */
export const roleParents = (kernel: Kernel, role: number): number => kernel.word(role + Role.Parents)
/** The first rule that derives it, or 0. */
export const roleRules = (kernel: Kernel, role: number): number => kernel.word(role + Role.Rules)
/** The first rule that derives another role from it, or 0. */
export const roleSources = (kernel: Kernel, role: number): number => kernel.word(role + Role.Sources)
/** The resource type of a resource role; 0 for a role in tenants. */
export const roleType = (kernel: Kernel, role: number): number => kernel.word(role + Role.Type)
