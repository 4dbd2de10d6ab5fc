import type { ComponentChildren, JSX } from 'preact';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { type Shot, StepPicture } from '../steps/step-picture.tsx';

/** One thing that happened. */
export interface Happening {
  readonly key: string | number;
  /** When, or which step it was. */
  readonly mark: ComponentChildren;
  /** How long it took, such as `2.1 s`, or null. */
  readonly lapse: string | null;
  readonly text: string;
  /** Address of the page, or null. */
  readonly url: string | null;
  /** Whether it is what people look for: a step of the agent, or what was asked of it. */
  readonly isMain: boolean;
  readonly shot: Shot | null;
}

/** What is shown over time. */
export interface TimelineProps {
  /** What it lists, for those who do not see it. */
  readonly name: string;
  readonly happenings: readonly Happening[];
  readonly fault: Error | null;
  /** What is new is read out while there is something new. */
  readonly isWorking: boolean;
}

/** What happened, in order, with its pictures. */
export function Timeline({ name, happenings, fault, isWorking }: TimelineProps): JSX.Element {
  return (
    <>
      <FaultNotice fault={fault} />
      <ol class="events" aria-live={isWorking ? 'polite' : 'off'} aria-label={name}>
        {happenings.map(({ key, mark, lapse, text, url, isMain, shot }) => (
          <li key={key} class={isMain ? 'step' : ''}>
            <span class="mark">
              {mark}
              {lapse !== null && <span class="lapse">took {lapse}</span>}
            </span>
            <div>
              {text}
              {url !== null && <span class="url">{url}</span>}
              {shot !== null && <StepPicture {...shot} />}
            </div>
          </li>
        ))}
      </ol>
      {happenings.length === 0 && fault === null && <p class="quiet">No events yet.</p>}
    </>
  );
}
