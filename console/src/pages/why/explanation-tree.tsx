// The explanation as nested lists, which every screen reader can walk: a mark and a word say whether a line holds.
import { VisuallyHidden } from '@mantine/core'
import { Icon, type IconName } from '../../components/icon.tsx'
import classes from './why-page.module.css'

type Outcome = 'allow' | 'deny' | 'met' | 'unmet' | 'note'

export interface ExplanationNode {
  readonly text: string
  readonly outcome: Outcome
  readonly children: readonly unknown[]
}

const MARKS: Readonly<Record<Outcome, { readonly icon: IconName; readonly word: string }>> = {
  allow: { icon: 'check', word: 'Allows' },
  met: { icon: 'check', word: 'Holds' },
  deny: { icon: 'x', word: 'Denies' },
  unmet: { icon: 'x', word: 'Missing' },
  note: { icon: 'info', word: 'Note' },
}

export function ExplanationTree({ nodes }: { readonly nodes: readonly ExplanationNode[] }) {
  if (nodes.length === 0) return null
  return (
    <ul className={classes.tree}>
      {nodes.map(({ text, outcome, children }) => (
        <li key={text}>
          <div className={classes.line} data-outcome={outcome}>
            <Icon name={MARKS[outcome].icon} size={14} />
            <VisuallyHidden>{MARKS[outcome].word}: </VisuallyHidden>
            <span>{text}</span>
          </div>
          {/* the schema of the API ends at four levels, and the tree does, too */}
          <ExplanationTree nodes={children as readonly ExplanationNode[]} />
        </li>
      ))}
    </ul>
  )
}
