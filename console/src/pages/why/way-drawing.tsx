// The ways of an answer as drawings: boxes with arrows between them. Each box is a link, so the keyboard walks a way
// from its beginning to its end; screen readers read it as a list, with the words of the arrows.
import { Icon } from '../../components/icon.tsx'
import { NounLink } from './noun-link.tsx'
import type { Way } from './ways.ts'
import classes from './why-page.module.css'

export function WayDrawings({ ways }: { readonly ways: readonly Way[] }) {
  return ways.map(({ isAllowing, steps }, at) => (
    <ol
      // biome-ignore lint/suspicious/noArrayIndexKey: ways are never changed
      key={at}
      className={classes.way}
      aria-label={isAllowing ? `Path ${at + 1} that allows it` : `Path ${at + 1} that is incomplete`}
    >
      {steps.map(({ by, text, noun, failing }) => (
        <li key={`${by} ${text}`}>
          {by !== '' && (
            <span className={classes.by}>
              {by} <Icon name="arrowRight" size={12} />
            </span>
          )}
          <span className={classes.box} data-failing={failing !== undefined || undefined}>
            <NounLink noun={noun}>{text}</NounLink>
            {failing?.map((test) => (
              <span key={test} className={classes.failing}>
                <Icon name="x" size={12} /> {test}
              </span>
            ))}
          </span>
        </li>
      ))}
    </ol>
  ))
}
