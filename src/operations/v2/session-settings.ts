import type { components } from '#generated/v2.ts';
import type { NewSession } from '#sessions/create-session.ts';
import { screenOf } from '#contract/screen.ts';

type Settings = components['schemas']['SessionSettings'];

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
    screen: screenOf(width, height),
    ...(enableRecording === undefined ? {} : { enableRecording }),
    ...(profileId === undefined ? {} : { profileId }),
  };
}
