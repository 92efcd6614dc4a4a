// What is wrong with policy files, each with its place and the line itself, as `zerohop validate` prints it.
import { counted } from 'zerohop/change-words'
import { LongList } from '../../components/long-list.tsx'
import { lineAt, type PickedFile, type PlaceInFile } from './picked-files.ts'
import classes from './policy-file.module.css'
import type { Checked } from './policy-file-queries.ts'

type Problem = Checked['problems'][number]

interface FileProblemsProps {
  readonly problems: readonly Problem[]
  readonly files: readonly PickedFile[]
}

export function FileProblems({ problems, files }: FileProblemsProps) {
  const isWarning = problems.every(({ severity }) => severity === 'warning')
  const title = counted(problems.length, isWarning ? 'warning' : 'error')
  return (
    <section>
      <h2>{title}</h2>
      {!isWarning && <p className={classes.note}>Fix the files and choose them again.</p>}
      <LongList
        label={title}
        items={problems}
        itemKey={({ place, message }) => `${placeText(place)} ${message}`}
        className={classes.problems}
      >
        {({ severity, place, message, related }) => (
          <>
            <p className={classes.message}>
              <code>{placeText(place)}</code>{' '}
              <span className={classes.severity} data-is={severity}>
                {severity}:
              </span>{' '}
              {message}
              {related && ` (${related.message}: ${placeText(related.place)})`}
            </p>
            <Line files={files} place={place} />
          </>
        )}
      </LongList>
    </section>
  )
}

const placeText = ({ file, line, column }: PlaceInFile): string => `${file}:${line}:${column}`

function Line({ files, place }: { readonly files: readonly PickedFile[]; readonly place: PlaceInFile }) {
  const shown = lineAt(files, place)
  if (shown === undefined) return null
  return (
    <pre className={classes.line}>
      <span className={classes.number}>{place.line} </span>
      {shown.before}
      <mark>{shown.meant}</mark>
      {shown.after}
    </pre>
  )
}
