// Explanations for people as text: indented sentences, or a tree with lines.
import type { Why, WhyNode, WhyOutcome } from '../model/why.ts'

/** The answer, and a line for each sentence below it, indented by its level. */
export function whyLines({ tree }: Pick<Why, 'tree'>): string[] {
  const below = (nodes: readonly WhyNode[], indent: string): string[] =>
    nodes.flatMap(({ text, outcome, children }) => [
      `${indent}${outcome === 'note' ? 'note: ' : ''}${text}`,
      ...below(children, `${indent}  `),
    ])
  return [`${tree.outcome}: ${tree.text}`, ...below(tree.children, '  ')]
}

const MARKS: Readonly<Record<WhyOutcome, string>> = { allow: '✓', deny: '✗', met: '✓', unmet: '✗', note: '•' }

/** The same as a tree, with a mark for what holds and what does not. */
export function whyTreeLines({ tree }: Pick<Why, 'tree'>): string[] {
  const below = (nodes: readonly WhyNode[], indent: string): string[] =>
    nodes.flatMap(({ text, outcome, children }, index) => {
      const isLast = index === nodes.length - 1
      const line = `${indent}${isLast ? '└─' : '├─'} ${MARKS[outcome]} ${text}`
      return [line, ...below(children, `${indent}${isLast ? '   ' : '│  '}`)]
    })
  return [`${MARKS[tree.outcome]} ${tree.text}`, ...below(tree.children, '')]
}
