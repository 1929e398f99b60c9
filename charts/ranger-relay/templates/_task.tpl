{{/* The pod of a short-lived task: its context, arguments behind the program, more volumes, more mounts. */}}
{{- define "relay.taskPod" -}}
{{- $task := index . 0 -}}
{{- $told := merge (dict "Chart" (dict "Name" (printf "%s (tasks)" $task.Chart.Name))) $task -}}
{{- $spec := include "relay.taskSpec" . -}}
{{- include "lib.checkAdded" (list $told ($spec | fromYaml) list) -}}
{{- $spec -}}
{{- end -}}

{{/* The same without a look at what was added. It is restricted like every other. */}}
{{- define "relay.taskSpec" -}}
{{- $task := index . 0 -}}
serviceAccountName: {{ include "lib.accountName" $task }}
automountServiceAccountToken: false
enableServiceLinks: false
restartPolicy: Never
terminationGracePeriodSeconds: 10
securityContext:
  {{- include "lib.podSecurity" $task | nindent 2 }}
{{- with include "lib.placement" $task | trim }}
{{ . }}
{{- end }}
containers:
  - name: {{ $task.Chart.Name }}
    image: {{ include "lib.image" $task }}
    imagePullPolicy: {{ $task.Values.image.pullPolicy }}
    command:
      - /usr/local/bin/node
    args:
      - --max-old-space-size={{ include "lib.heap" $task }}
      {{- range $task.facts.flags }}
      - {{ . }}
      {{- end }}
      - {{ $task.facts.program }}
      {{- range index . 1 }}
      - {{ . | quote }}
      {{- end }}
    env:
      {{- include "lib.env" $task | trim | nindent 6 }}
    # What it said last stands in the state of its pod: nobody reads the log of a hook.
    terminationMessagePolicy: FallbackToLogsOnError
    resources:
      {{- include "lib.resources" $task | trim | nindent 6 }}
    securityContext:
      {{- include "lib.containerSecurity" $task | nindent 6 }}
    volumeMounts:
      - {{ include "lib.tmpMount" $task | nindent 8 | trim }}
      {{- if $task.given.mounts }}
      - name: secrets
        mountPath: {{ include "lib.secretsFolder" $task }}
        readOnly: true
      {{- end }}
      {{- range index . 3 }}
      - {{ toYaml . | nindent 8 | trim }}
      {{- end }}
      {{- with $task.Values.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
volumes:
  - {{ include "lib.tmpVolume" $task | nindent 4 | trim }}
  {{- if $task.given.mounts }}
  - {{ include "lib.secretsVolume" $task | nindent 4 | trim }}
  {{- end }}
  {{- range index . 2 }}
  - {{ toYaml . | nindent 4 | trim }}
  {{- end }}
  {{- with $task.Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* What a task may reach: names, and the rules that are given. Nothing reaches it. */}}
{{- define "relay.taskPolicy" -}}
{{- $task := index . 0 -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "lib.metadata" (list $task "" dict (index . 2)) | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "lib.selectorLabels" $task | nindent 6 }}
  policyTypes:
    - Ingress
    - Egress
  egress:
    {{- include "lib.dnsEgress" $task | nindent 4 }}
    {{- range index . 1 }}
    {{- . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- define "relay.taskAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "lib.metadata" (list (index . 0) "" dict (index . 1)) | nindent 2 }}
automountServiceAccountToken: false
{{- end -}}
