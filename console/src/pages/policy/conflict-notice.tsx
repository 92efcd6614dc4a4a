// Says that somebody else changed roles of the draft meanwhile: who, what, and what to do about it. The edits stay
// until they are given up here.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { counted, plural } from 'zerohop/change-words'
import { type EnvironmentPath, useEnvironmentPath } from '../../api/environments.ts'
import { DiscardButton } from '../../components/discard-button.tsx'
import { Icon } from '../../components/icon.tsx'
import { changedByQuery } from './changed-by-query.ts'
import type { Conflict } from './draft.ts'
import classes from './policy-page.module.css'
import { RoleDifference } from './role-difference.tsx'

interface ConflictNoticeProps {
  readonly environment: string
  readonly conflicts: readonly Conflict[]
  /** from which the draft was begun */
  readonly revision: number
  readonly onContinue: () => void
  readonly onGiveUp: (role: string) => void
}

export function ConflictNotice({ environment, conflicts, revision, onContinue, onGiveUp }: ConflictNoticeProps) {
  const path: EnvironmentPath = useEnvironmentPath()
  const found = useQuery(changedByQuery(path, environment, revision))
  return (
    <section role="alert" aria-label="Changed by others" className={classes.conflicts}>
      <h2>
        <Icon name="triangleAlert" size={16} />
        {counted(conflicts.length, 'role')} in your draft {plural(conflicts.length, 'has', 'have')} changed
      </h2>
      <p>Changes were saved since you started. Your edits are kept, and what was saved isn't overwritten.</p>
      <ul className={classes.conflictList}>
        {conflicts.map(({ key, edit, theirs, missing }) => (
          <li key={key}>
            <div className={classes.conflictHead}>
              <strong>{key}</strong>
              <span>{found.data?.get(key) ?? ''}</span>
              <DiscardButton
                size="compact-xs"
                question={`Discard your edits to ${key}?`}
                onDiscard={() => onGiveUp(key)}
              >
                Discard my edits to {key}
              </DiscardButton>
            </div>
            <div className={classes.conflictSides}>
              <div>
                <h3>Theirs</h3>
                <RoleDifference before={edit.base} after={theirs} />
              </div>
              <div>
                <h3>Yours</h3>
                <RoleDifference before={edit.base} after={edit.now} />
              </div>
            </div>
            {missing.length > 0 && (
              <p>
                {missing.join(', ')} {missing.length === 1 ? 'no longer exists and is' : 'no longer exist and are'} left
                out.
              </p>
            )}
          </li>
        ))}
      </ul>
      <Button onClick={onContinue}>Apply my edits on top</Button>
    </section>
  )
}
