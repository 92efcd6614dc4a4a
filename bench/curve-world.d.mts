// Types of what the tests take from curve-world.mjs.
export interface CurveQuestion {
  readonly user: string
  readonly action: string
  readonly resource: { readonly type: string; readonly tenant: string; readonly key?: string }
  readonly expected: boolean
}

export declare const FACTS_PER_TENANT: number
/** Questions by the way in which they are allowed. */
export declare function makeQuestions(
  tenants: number,
  count: number,
): readonly { readonly way: string; readonly questions: readonly CurveQuestion[] }[]
