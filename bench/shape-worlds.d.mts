import type { FactLists } from '../src/management/policy-file/export.ts'

export interface ShapeQuestion {
  readonly user: string
  readonly action: string
  readonly type: string
  readonly tenant: string
  readonly key?: string
  readonly expected: boolean
}

export interface Shape {
  readonly policy: unknown
  readonly lists: { readonly [S in keyof FactLists]?: FactLists[S] }
  readonly asked: readonly ShapeQuestion[]
}

export declare const GROUP_DEPTH: number
/** The ordinary world. */
export declare const ORDINARY: (facts: number) => Shape
/** By name. */
export declare const SHAPES: Readonly<Record<string, (facts: number) => Shape>>
