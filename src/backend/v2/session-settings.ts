import type { components } from '#generated/v2.ts';
import type { Problem } from '#domain/problems.ts';
import type { NewSession } from '../engine/create-session.ts';
import { checkScreen } from '../shared/check-settings.ts';

type Settings = components['schemas']['SessionSettings'];

/** Refuses one side of a screen without the other; `place` leads to the settings in the body. */
export function checkSessionSettings(settings: Settings, place: readonly string[]): Problem | null {
  const { browserScreenWidth: width, browserScreenHeight: height } = settings;
  return checkScreen({ width, height }, ['body', ...place, 'browserScreenWidth']);
}

/** What of a new session the settings choose; what they leave out stays at its default (companion 5.5). */
export function settingsOf(
  settings: Settings,
): Partial<Pick<NewSession, 'proxyCountryCode' | 'screen' | 'enableRecording' | 'profileId'>> {
  const {
    proxyCountryCode,
    browserScreenWidth: width,
    browserScreenHeight: height,
    enableRecording,
    profileId,
  } = settings;
  return {
    ...(proxyCountryCode === undefined ? {} : { proxyCountryCode }),
    ...(typeof width === 'number' && typeof height === 'number' ? { screen: { width, height } } : {}),
    ...(enableRecording === undefined ? {} : { enableRecording }),
    ...(profileId === undefined ? {} : { profileId }),
  };
}
