// The explanation as nested lists, which every screen reader can walk: a mark and a word say whether a line holds.
import { VisuallyHidden } from '@mantine/core'
import { Icon, type IconName } from '../../components/icon.tsx'
import { Sentence } from './noun-link.tsx'
import type { Asked } from './nouns.ts'
import classes from './why-page.module.css'

type Outcome = 'allow' | 'deny' | 'met' | 'unmet' | 'note'

export interface ExplanationNode {
  readonly text: string
  readonly outcome: Outcome
  readonly children: readonly unknown[]
}

const MARKS: Readonly<Record<Outcome, { readonly icon: IconName; readonly word: string }>> = {
  allow: { icon: 'check', word: 'Allows' },
  met: { icon: 'check', word: 'Applies' },
  deny: { icon: 'x', word: 'Denies' },
  unmet: { icon: 'x', word: 'Missing' },
  note: { icon: 'info', word: 'Note' },
}

interface ExplanationTreeProps {
  readonly nodes: readonly ExplanationNode[]
  readonly asked: Asked
}

export function ExplanationTree({ nodes, asked }: ExplanationTreeProps) {
  if (nodes.length === 0) return null
  return (
    <ul className={classes.tree}>
      {nodes.map(({ text, outcome, children }) => (
        <li key={text}>
          <div className={classes.line} data-outcome={outcome}>
            <Icon name={MARKS[outcome].icon} size={14} />
            <VisuallyHidden>{MARKS[outcome].word}: </VisuallyHidden>
            <span>
              <Sentence text={text} asked={asked} />
            </span>
          </div>
          {/* the schema of the API ends at four levels, and the tree does, too */}
          <ExplanationTree nodes={children as readonly ExplanationNode[]} asked={asked} />
        </li>
      ))}
    </ul>
  )
}
