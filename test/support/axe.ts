// axe in a page: the rules of WCAG that a program can check. It is asked in the page, and only what was violated comes
// back: the results of every rule would cost more than many of the rules.
import { source as AXE } from 'axe-core'
import type { Page } from 'playwright-core'

/** The rules that axe checks; all without it. */
export interface RunOnly {
  readonly type: 'tag' | 'rule'
  readonly values: readonly string[]
}

export interface Violation {
  readonly rule: string
  /** a selector of the element, and its markup */
  readonly target: string
  readonly html: string
}

interface Axed {
  readonly axe: {
    run(context: object, options: object): Promise<{ readonly violations: readonly Found[] }>
  }
}

interface Found {
  readonly id: string
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly html: string }[]
}

export async function findViolations(page: Page, runOnly?: RunOnly): Promise<readonly Violation[]> {
  // half a megabyte of script, which a page needs once
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  const options = { ...(runOnly === undefined ? {} : { runOnly }), resultTypes: ['violations'], reporter: 'no-passes' }
  return page.evaluate(async (asked) => {
    const { violations } = await (globalThis as unknown as Axed).axe.run(document, asked)
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html }) => ({ rule: id, target: target.join(' '), html })),
    )
  }, options)
}
