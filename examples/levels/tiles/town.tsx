<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.10" tiledversion="1.11.0" name="town" tilewidth="16" tileheight="16" tilecount="8" columns="4">
 <image source="town.png" width="64" height="32"/>
 <tile id="0">
  <properties>
   <property name="terrain" value="cobbles"/>
  </properties>
 </tile>
 <tile id="1">
  <properties>
   <property name="blocked" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="2">
  <properties>
   <property name="terrain" value="water"/>
  </properties>
 </tile>
 <tile id="3">
  <properties>
   <property name="terrain" value="planks"/>
  </properties>
 </tile>
 <tile id="4">
  <properties>
   <property name="blocked" type="bool" value="true"/>
  </properties>
 </tile>
 <tile id="5">
  <properties>
   <property name="terrain" value="grass"/>
  </properties>
 </tile>
 <tile id="6">
  <properties>
   <property name="terrain" value="shallows"/>
  </properties>
 </tile>
</tileset>
