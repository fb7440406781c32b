import { type Fields, objectsOf, optionsOf } from '../json-fields.ts';
import {
  confirm,
  id,
  option,
  optionGroups,
  options,
  overflowOption,
  plain,
  richOption,
  style,
  url,
} from './composition.ts';
import { LIMITS } from './limits.ts';
import {
  type ReportProblem,
  type Shape,
  type Shapes,
  anything,
  flag,
  list,
  object,
  pattern,
  string,
  whole,
  word,
} from './schema.ts';

const type = string(LIMITS.id);
const actionable: Shapes = { action_id: id };
const confirmable: Shapes = { ...actionable, confirm };
const focusable: Shapes = { ...actionable, focus_on_load: flag };
const picker: Shapes = { ...confirmable, focus_on_load: flag, placeholder: plain(LIMITS.placeholder) };
const many: Shapes = { max_selected_items: whole(1, 100_000) };
const answers: Shapes = { response_url_enabled: flag };
const dispatch = object({ trigger_actions_on: list(word('on_enter_pressed', 'on_character_entered'), 2) });
const typing: Shapes = { ...focusable, placeholder: plain(LIMITS.placeholder), dispatch_action_config: dispatch };
const memberId = pattern('a member id', /^[UW][A-Z0-9]+$/);
const channelId = pattern('a channel id', /^[CGD][A-Z0-9]+$/);
const filter = object(
  {},
  {
    include: list(word('im', 'mpim', 'private', 'public'), 4),
    exclude_external_shared_channels: flag,
    exclude_bot_users: flag,
  },
);
const filtered: Shapes = { filter, default_to_current_conversation: flag };

const element = (
  required: Shapes,
  optional: Shapes,
  and?: (value: Fields, pointer: string, report: ReportProblem) => void,
): Shape => object({ type, ...required }, optional, and);

/** Initial choices must equal one of the options. */
function initialIsOffered(value: Fields, pointer: string, report: ReportProblem): void {
  const known = new Set(optionsOf(value).map((each) => JSON.stringify([each['value'], each['text']])));
  const missing = (chosen: Fields): boolean => !known.has(JSON.stringify([chosen['value'], chosen['text']]));
  if (objectsOf([value['initial_option']]).some(missing)) report(`${pointer}/initial_option`, 'must match an option');
  if (objectsOf(value['initial_options']).some(missing)) report(`${pointer}/initial_options`, 'must match the options');
}

function oneSourceOfOptions(value: Fields, pointer: string, report: ReportProblem): void {
  if ((value['options'] === undefined) === (value['option_groups'] === undefined))
    report(pointer, 'must hold either options or option_groups');
  initialIsOffered(value, pointer, report);
}

const buttonFields: Shapes = { ...confirmable, style, accessibility_label: string(LIMITS.accessibilityLabel) };
const selectOptions: Shapes = { options: options(option, LIMITS.options), option_groups: optionGroups };
const chosen = list(option, LIMITS.options);
const choices: Shapes = { options: options(richOption, LIMITS.checkboxOptions) };
const external: Shapes = { min_query_length: whole(0, 3000) };

/** Every interactive element by type: required and optional fields with their limits. */
export const ELEMENTS: Shapes = {
  button: element({ text: plain(LIMITS.buttonText) }, { ...buttonFields, value: string(LIMITS.buttonValue), url }),
  workflow_button: element({ text: plain(LIMITS.buttonText), workflow: anything }, buttonFields),
  checkboxes: element(
    choices,
    { ...confirmable, focus_on_load: flag, initial_options: list(richOption, LIMITS.checkboxOptions) },
    initialIsOffered,
  ),
  radio_buttons: element(
    choices,
    { ...confirmable, focus_on_load: flag, initial_option: richOption },
    initialIsOffered,
  ),
  overflow: element({ options: options(overflowOption, LIMITS.overflowOptions) }, confirmable),
  datepicker: element({}, { ...picker, initial_date: pattern('a date', /^\d{4}-\d{2}-\d{2}$/) }),
  timepicker: element(
    {},
    { ...picker, initial_time: pattern('a time', /^([01]\d|2[0-3]):[0-5]\d$/), timezone: string(100) },
  ),
  datetimepicker: element(
    {},
    { ...confirmable, focus_on_load: flag, initial_date_time: whole(1_000_000_000, 9_999_999_999) },
  ),
  static_select: element({}, { ...picker, ...selectOptions, initial_option: option }, oneSourceOfOptions),
  multi_static_select: element(
    {},
    { ...picker, ...many, ...selectOptions, initial_options: chosen },
    oneSourceOfOptions,
  ),
  external_select: element({}, { ...picker, ...external, initial_option: option }),
  multi_external_select: element({}, { ...picker, ...many, ...external, initial_options: chosen }),
  users_select: element({}, { ...picker, initial_user: memberId }),
  multi_users_select: element({}, { ...picker, ...many, initial_users: list(memberId, 100) }),
  conversations_select: element({}, { ...picker, ...filtered, ...answers, initial_conversation: channelId }),
  multi_conversations_select: element(
    {},
    { ...picker, ...many, ...filtered, initial_conversations: list(channelId, 100) },
  ),
  channels_select: element({}, { ...picker, ...answers, initial_channel: channelId }),
  multi_channels_select: element({}, { ...picker, ...many, initial_channels: list(channelId, 100) }),
  plain_text_input: element(
    {},
    {
      ...typing,
      initial_value: string(LIMITS.inputLength),
      multiline: flag,
      min_length: whole(0, LIMITS.inputLength),
      max_length: whole(1, LIMITS.inputLength),
    },
  ),
  email_text_input: element({}, { ...typing, initial_value: string(LIMITS.inputLength) }),
  url_text_input: element({}, { ...typing, initial_value: string(LIMITS.inputLength) }),
  number_input: element(
    { is_decimal_allowed: flag },
    { ...typing, initial_value: string(100), min_value: string(100), max_value: string(100) },
  ),
  rich_text_input: element({}, { ...typing, initial_value: anything }),
  file_input: element({}, { ...actionable, filetypes: list(string(20), 100), max_files: whole(1, 10) }),
  feedback_buttons: element({ positive_button: anything, negative_button: anything }, actionable),
  icon_button: element(
    { icon: string(100, 1), text: plain(LIMITS.buttonText) },
    { ...buttonFields, value: string(LIMITS.buttonValue), visible_to_user_ids: list(memberId, 100) },
  ),
};

const SELECTS = ['static', 'external', 'users', 'conversations', 'channels'].flatMap((source) => [
  `${source}_select`,
  `multi_${source}_select`,
]);
const CHOICES = ['checkboxes', 'radio_buttons', 'datepicker', 'timepicker', ...SELECTS];

/** Which elements each place allows. */
export const PLACES = {
  actions: ['button', 'workflow_button', 'overflow', 'datetimepicker', 'rich_text_input', ...CHOICES],
  accessory: ['button', 'workflow_button', 'overflow', ...CHOICES],
  input: [
    ...CHOICES,
    'datetimepicker',
    'plain_text_input',
    'email_text_input',
    'url_text_input',
    'number_input',
    'rich_text_input',
    'file_input',
  ],
  context_actions: ['feedback_buttons', 'icon_button'],
} as const;
