// PulseAudio
