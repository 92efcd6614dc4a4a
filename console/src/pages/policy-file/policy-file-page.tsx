// The policy as a file: exported, and files that were picked, which are read by the server, planned, and applied as one
// revision, just as they were planned.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { countsText, formatChangeCounts } from 'zerohop/change-words'
import { type EnvironmentPath, useEnvironmentPath } from '../../api/environments.ts'
import { useMay } from '../../api/use-session.ts'
import { useWrite } from '../../api/write.ts'
import { Page } from '../../components/page.tsx'
import { PlanOutcome } from '../../components/plan-outcome.tsx'
import { PlanView } from '../../components/plan-view.tsx'
import { EmptyState, ErrorState, LoadingState, QueryState } from '../../components/states.tsx'
import { ExportSection } from './export-section.tsx'
import { FilePicker } from './file-picker.tsx'
import { FileProblems } from './file-problems.tsx'
import classes from './policy-file.module.css'
import {
  applyFiles,
  checkQuery,
  filePlanQuery,
  type PickedFiles,
  type Plan,
  type Policy,
} from './policy-file-queries.ts'

const FROM = '/$project/$environment/policy-file'
const NO_FILES: PickedFiles = { id: 0, files: [] }
let picks = 0
/** The files that were picked last, and where: they are still there when one comes back to the page. */
let kept: { readonly place: string; readonly picked: PickedFiles } | undefined

export function PolicyFilePage() {
  const path = useEnvironmentPath()
  return (
    <Page title="Policy file" description={`Export the policy of ${path.e} as a file, or change it by applying files.`}>
      <div className={classes.sections}>
        <ExportSection />
        {/* another environment begins with no files */}
        <ApplySection key={`${path.p}/${path.e}`} path={path} />
      </div>
    </Page>
  )
}

function ApplySection({ path }: { readonly path: EnvironmentPath }) {
  const place = `${path.p}/${path.e}`
  const [picked, setPicked] = useState(kept?.place === place ? kept.picked : NO_FILES)
  const { id, files } = picked
  const [prune, setPrune] = useState(false)
  const checked = useQuery(checkQuery(path, picked, prune))
  const pick = (next: PickedFiles['files']) => {
    kept = { place, picked: { id: ++picks, files: next } }
    setPicked(kept.picked)
  }
  return (
    <>
      <section className={classes.apply}>
        <h2>Plan and apply files</h2>
        <FilePicker files={files} onChange={pick} />
        <label className={classes.choice}>
          <input type="checkbox" checked={prune} onChange={({ currentTarget }) => setPrune(currentTarget.checked)} />
          Also delete objects removed from the files
        </label>
      </section>
      {files.length === 0 ? (
        <p className={classes.note}>
          Before anything is applied, you'll see what would change and who would gain or lose access.
        </p>
      ) : (
        <QueryState query={checked} loading={<LoadingState label="Reading the files" rows={3} />}>
          {({ policy, problems }) => (
            <>
              {problems.length > 0 && <FileProblems problems={problems} files={files} />}
              {policy !== null && <PlannedFiles {...{ path, id, policy, prune }} />}
            </>
          )}
        </QueryState>
      )}
    </>
  )
}

interface PlannedFilesProps {
  readonly path: EnvironmentPath
  readonly id: number
  readonly policy: Policy
  readonly prune: boolean
}

function PlannedFiles(props: PlannedFilesProps) {
  const plan = useQuery(filePlanQuery(props.path, props.id, props.policy, props.prune))
  // an earlier plan is not what applying would do now
  if (plan.isError && !plan.isFetching) return <ErrorState error={plan.error} onRetry={() => void plan.refetch()} />
  return (
    <QueryState query={plan} loading={<LoadingState label="Planning" />}>
      {(planned) => (
        <Planned {...props} planned={planned} isOld={plan.isFetching} onAgain={() => void plan.refetch()} />
      )}
    </QueryState>
  )
}

interface PlannedProps extends PlannedFilesProps {
  readonly planned: Plan
  /** another plan is being made */
  readonly isOld: boolean
  readonly onAgain: () => void
}

function Planned({ path, policy, prune, planned, isOld, onAgain }: PlannedProps) {
  const navigate = useNavigate({ from: FROM })
  const canWrite = useMay('write')
  const [cascade, setCascade] = useState(false)
  const needsCascade = planned.cascade.length > 0
  const apply = useWrite<void>({
    send: () => applyFiles(path, policy, planned, { prune, cascade: cascade && needsCascade }),
    done: () => 'Files applied',
    onDone: (_, revision) => {
      kept = undefined
      void navigate({ to: '/$project/$environment/history/$revision', params: { revision: String(revision) } })
    },
  })
  if (planned.changes.length === 0)
    return (
      <EmptyState
        icon="circleCheck"
        title="Nothing would change"
        text={`${path.e} already matches the files${prune ? '' : '. Objects not in the files were ignored'}.`}
      />
    )
  return (
    <>
      <PlanView plan={planned} isOld={isOld} />
      {needsCascade && canWrite && (
        <label className={classes.choice}>
          <input
            type="checkbox"
            checked={cascade}
            onChange={({ currentTarget }) => setCascade(currentTarget.checked)}
          />
          Also delete: {countsText(planned.cascade)}
        </label>
      )}
      <PlanOutcome
        action="Apply"
        mutation={apply}
        onAgain={onAgain}
        canWrite={canWrite}
        isDisabled={isOld || (needsCascade && !cascade)}
      >
        {formatChangeCounts(planned)}, in one revision.
      </PlanOutcome>
    </>
  )
}
